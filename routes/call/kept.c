/* Gives a stored answer again, in its first shape. */
#include "routes/call/kept.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/stream.h"
#include "routes/kit/admission.h"
#include "routes/call/run_events.h"
#include "routes/call/run_headers.h"
#include "routes/call/run_print.h"
#include "desk/live.h"
#include "store/idem.h"

#include <stdlib.h>

/* --- headers --- */

static void kept_headers(struct request *r, const struct gateway *g, const struct call_request *rq,
			 const struct idem_read *read)
{
	char run[ID_MAX];
	char conversation[ID_MAX] = "";

	admission_show(r, g); /* no byte of the answer was taken */
	reply_header(r, "Idempotency-Replayed", STR("true"));
	if (read->outcome > RUN_COMPLETED)
		reply_header(r, "x-should-retry", STR("false"));
	if (!id_none(read->conversation))
		id_text(read->conversation, ID_CONVERSATION, conversation);
	run_headers(r, &(struct run_told){
			       .run = id_text(read->run, ID_RUN, run),
			       .conversation = str_of(conversation),
			       .stored = read->stored,
			       .streamed = rq->what.prompt.stream,
		       });
}

/* --- kept bytes --- */

struct bytes {
	struct request *request;
	struct buf      body;
	size_t          at;
	bool            broken; /* the body must not look complete */
};

static void bytes_destroy(struct bytes *x)
{
	buf_finish(&x->body);
	free(x);
}

static struct str kept_source_ready(void *arg, bool *ret_last)
{
	struct bytes *x = arg;

	*ret_last = true;
	return (struct str){ x->body.data + x->at, x->body.len - x->at };
}

static void kept_source_taken(void *arg, size_t n)
{
	((struct bytes *)arg)->at += n;
}

static void kept_source_over(void *arg, bool whole)
{
	(void)whole;
	bytes_destroy(arg);
}

static bool kept_source_broken(void *arg)
{
	return ((struct bytes *)arg)->broken;
}

static const struct stream_source source = { kept_source_ready, kept_source_taken, kept_source_over,
					     kept_source_broken };

static void reply_stream(struct request *r, struct buf *body, bool broken)
{
	struct bytes *x = calloc(1, sizeof *x);

	if (x) {
		x->request = r;
		x->body = *body;
		x->broken = broken;
		*body = (struct buf){ 0 };
	}
	if (x && stream_open(r, &source, x))
		return;
	if (x)
		bytes_destroy(x);
	reply_refuse(r, ERR_OVERLOADED, "", "no memory for the stream");
}

/* The bytes are moved, not copied, because there may be many. */
static void reply_bytes(struct request *r, const struct call_request *rq, struct idem_read *read)
{
	if (rq->what.prompt.stream && read->answer.http == 200)
		reply_stream(r, &read->bytes,
			     rq->manner.family->breaks && read->outcome > RUN_COMPLETED);
	else if (rq->manner.bare && read->answer.http == 200)
		reply_text_take(r, 200, "text/plain; charset=utf-8", &read->bytes);
	else
		reply_json_take(r, read->answer.http, &read->bytes);
}

/* reply_lost: the answer is lost; headers say that a retry gets the same error. */
static void reply_lost(struct request *r, const struct idem_read *read)
{
	struct err e;

	if (read->answer.http == 410) {
		err_set(&e, ERR_GONE, "", "this answer has been deleted");
	} else if (read->answer.http == 503) {
		err_set(&e, ERR_STORAGE, "", "the answer could not be stored");
	} else {
		err_set(&e, ERR_INTERNAL, "",
			"the gateway stopped while this answer was being made");
		str_copy(e.wire, sizeof e.wire, STR("server_stopped"));
	}
	reply_error(r, &e);
}

/* --- runs --- */

static struct follow_options options_of(struct gateway *g, const struct call_request *rq,
					const struct idem_read *read)
{
	return (struct follow_options){
		.loop = g->loop,
		.cpu = g->cpu,
		.store = g->store,
		.owner = rq->caller.owner,
		.run = read->run,
		.family = rq->manner.family,
		.want_usage = rq->manner.want_usage,
		.guess_in = rq->manner.guess_in,
		.reasoning = g->now->run.reasoning,
	};
}

static void reply_events(struct request *r, struct gateway *g, const struct call_request *rq,
			 const struct idem_read *read)
{
	struct follow_options o = options_of(g, rq, read);

	run_events_reply(r, &o);
}

/* The answer to a background request is the run in its present state. */
struct status {
	struct request     *request; /* NULL: the client left */
	struct run_read     read;
	enum reasoning_name reasoning;
};

static void status_left(void *arg)
{
	((struct status *)arg)->request = NULL;
}

static void status_read(struct store_job *job)
{
	struct status *x = container_of(job, struct status, read.job);
	struct buf     body;

	buf_init(&body, LIMIT_UPSTREAM_BODY);
	if (x->request && job->err.code != ERR_OK)
		reply_error(x->request, &job->err);
	else if (x->request &&
		 run_print_for(&body, request_family(x->request), x->reasoning, &x->read))
		reply_json_take(x->request, run_print_status(request_family(x->request)), &body);
	else if (x->request)
		reply_refuse(x->request, ERR_OVERLOADED, "", "no memory for the run");
	buf_finish(&body);
	arena_finish(&x->read.arena);
	free(x);
}

static void reply_status(struct request *r, struct gateway *g, const struct call_request *rq,
			 const struct idem_read *read)
{
	struct status *x = calloc(1, sizeof *x);

	if (x) {
		x->request = r;
		x->read = (struct run_read){
			.job = { .loop = g->loop, .done = status_read },
			.owner = rq->caller.owner,
			.run = read->run,
			.shape = run_print_shape(rq->manner.family),
		};
		x->reasoning = g->now->run.reasoning;
		arena_init(&x->read.arena, RUN_PRINT_ARENA);
		request_on_left(r, status_left, x);
		if (store_run_read(g->store, &x->read))
			return;
		arena_finish(&x->read.arena);
		free(x);
	}
	reply_refuse(r, ERR_OVERLOADED, "", "too many reads are waiting; try again");
}

bool kept_follow(struct request *r, struct gateway *g, const struct call_request *rq,
		 struct idem_read *read)
{
	struct follow_options o = options_of(g, rq, read);
	struct live           live;

	if (!rq->what.prompt.stream)
		return false;
	if (rq->manner.store) {
		kept_reply(r, g, rq, read);
		return true;
	}
	if (!live_find(read->run, rq->caller.owner, &live))
		return false;
	o.tape = live_tape(read->run, rq->caller.owner);
	if (!o.tape)
		return false;
	o.model = arena_str(request_arena(r), rq->what.model); /* rq ends before the stream */
	o.settings = arena_str(request_arena(r), rq->manner.settings);
	o.created_ms = live.created_ms;
	o.shape = rq->manner.shape;
	kept_headers(r, g, rq, read);
	run_events_reply(r, &o);
	return true;
}

void kept_reply(struct request *r, struct gateway *g, const struct call_request *rq,
		struct idem_read *read)
{
	bool stream = rq->what.prompt.stream;

	if (!((stream || rq->manner.background) && read->stored) && read->answer.http == 0) {
		reply_refuse(r, ERR_STORAGE, "",
			     "the answer for this Idempotency-Key is not stored yet");
		return;
	}
	kept_headers(r, g, rq, read);
	if (rq->manner.background)
		reply_status(r, g, rq, read);
	else if (read->answer.body.n > 0)
		reply_bytes(r, rq, read);
	else if (read->answer.http > 200)
		reply_lost(r, read);
	else
		reply_events(r, g, rq, read);
}
