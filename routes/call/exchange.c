/* Joins a request with its run: chooses the reply, and passes on who left first. */
#include "routes/call/exchange.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "http/reply.h"
#include "http/stream.h"
#include "routes/kit/admission.h"
#include "routes/call/keyed.h"
#include "routes/call/run_print.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARNINGS_MAX = 2048 };

struct exchange {
	struct request *request; /* gone after a reply, or when the client left */
	struct run     *run;
	struct stream  *stream; /* NULL: plain, or not open yet */
	struct str      model;
	bool            native;
	bool            streamed;
	bool            background; /* answered as soon as the run goes on by itself */
	bool            parting;    /* answered; the run will be left at the end of the turn */
	struct task     part_task;
	struct loop    *loop;
};

static void note(struct exchange *x)
{
	struct run_view v;

	run_view(x->run, &v);
	request_note(x->request,
		     &(struct request_note){
			     .run = v.id,
			     .conversation = v.conversation,
			     .model = x->model,
			     .provider = v.provider,
			     .finish_reason = v.finish_reason,
			     .tokens_in = v.usage.in,
			     .tokens_out = v.usage.out,
			     .first_token_us = v.first_token_us
						       ? v.first_token_us - request_start_us(x->request)
						       : 0,
			     .upstream_us = v.answered_us ? v.answered_us - v.called_us : 0,
			     .attempts = v.attempts,
			     .stream = x->stream != NULL,
			     .costs = v.costs,
			     .cost_nano = v.cost_nano,
		     });
}

/* put_time: ",name;dur=1.234" (milliseconds). */
static bool put_time(struct buf *out, const char *name, int64_t us)
{
	if (us < 0)
		us = 0;
	return buf_fmt(out, "%s%s;dur=%lld.%03lld", out->len > 0 ? ", " : "", name,
		       (long long)(us / 1000), (long long)(us % 1000));
}

/* Where the time went (W3C Server Timing), as far as it is known when the headers go out. */
static void timing(struct exchange *x, const struct run_view *v)
{
	int64_t    start = request_start_us(x->request);
	int64_t    total = clock_mono_us() - start;
	struct buf text;

	if (v->called_us == 0)
		return;
	buf_init(&text, 256);
	bool ok = put_time(&text, "queue", v->called_us - start);
	if (ok && v->first_token_us)
		ok = put_time(&text, "upstream_ttfb", v->first_token_us - v->called_us);
	if (ok && v->answered_us)
		ok = put_time(&text, "upstream", v->answered_us - v->called_us) &&
		     put_time(&text, "gateway", total - (v->answered_us - v->called_us)) &&
		     put_time(&text, "total", total);
	if (ok)
		reply_header(x->request, "Server-Timing", buf_view(&text));
	buf_finish(&text);
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			return false;
	return true;
}

/* OpenAI's answers have no place for what was not handed on, so a header says it: the array that other
 * answers have in `warnings`, or, where no header can have it, how many entries that has. */
static void warn(struct exchange *x, const struct run_view *v)
{
	struct buf text;
	bool       fits = v->warnings.n <= WARNINGS_MAX && is_ascii(v->warnings);

	if (x->native || v->warning_count == 0)
		return;
	buf_init(&text, WARNINGS_MAX + 32);
	bool ok = fits ? buf_text(&text, "[") && buf_str(&text, v->warnings) && buf_text(&text, "]")
		       : buf_int(&text, (int64_t)v->warning_count);
	if (ok)
		reply_header(x->request, "x-parley-warnings", buf_view(&text));
	buf_finish(&text);
}

static void headers(struct exchange *x)
{
	struct run_view v;
	struct buf      location;

	run_view(x->run, &v);
	if (!x->background)
		timing(x, &v);
	warn(x, &v);
	if (v.attempts > 0 && !x->background) {
		char count[16];

		snprintf(count, sizeof count, "%u", v.attempts);
		reply_header(x->request, "x-parley-attempts", str_of(count));
	}
	if (v.id.n == 0 || (!x->native && v.conversation.n == 0))
		return;
	reply_header(x->request, "X-Run-Id", v.id);
	if (v.conversation.n > 0)
		reply_header(x->request, "X-Conversation-Id", v.conversation);
	if (!x->native || !(x->streamed || x->background))
		return;
	buf_init(&location, 256);
	if (buf_text(&location, "/v1/runs/") && buf_str(&location, v.id) &&
	    buf_text(&location, "/events"))
		reply_header(x->request, "Location", buf_view(&location));
	buf_finish(&location);
}

static void part(struct exchange *x)
{
	run_leave(x->run);
	free(x);
}

/* --- the stream's side --- */

static struct str source_ready(void *arg, bool *ret_last)
{
	return run_ready(((struct exchange *)arg)->run, ret_last);
}

static void source_taken(void *arg, size_t n)
{
	run_taken(((struct exchange *)arg)->run, n);
}

static void source_over(void *arg, bool whole)
{
	struct exchange *x = arg;

	if (!whole)
		metric_add(METRIC_STREAM_ABORTS, (const char *[]){ "client", "left", "" }, 1);
	note(x);
	part(x);
}

/* Some of OpenAI's clients look for the body's end alone, and would take an answer with an error
 * behind it for a whole one; in our own dialect the last event says how it ended. */
static bool source_broken(void *arg)
{
	struct exchange *x = arg;
	struct run_view  v;

	run_view(x->run, &v);
	return !x->native && v.failed;
}

static const struct stream_source source = { source_ready, source_taken, source_over,
					     source_broken };

/* --- the run's side --- */

static void part_now(struct task *t)
{
	part(container_of(t, struct exchange, part_task));
}

static void run_open(void *arg)
{
	struct exchange *x = arg;
	struct err       e;

	if (x->parting)
		return;
	headers(x);
	x->stream = stream_open(x->request, &source, x);
	if (x->stream)
		return;
	/* Not from within the run's callback: leaving may end its call. */
	err_set(&e, ERR_OVERLOADED, "", "no memory for the stream");
	x->part_task.fn = part_now;
	loop_later(request_loop(x->request), &x->part_task);
	reply_error(x->request, &e);
}

static void run_wake(void *arg)
{
	struct exchange *x = arg;

	if (x->stream)
		stream_wake(x->stream);
}

static void run_done(void *arg, const struct err *e)
{
	struct exchange *x = arg;
	struct buf       body;
	struct err       failure;

	if (x->parting)
		return;
	note(x);
	headers(x);
	buf_init(&body, LIMIT_UPSTREAM_BODY + 4 * KIB);
	if (!e && !run_whole(x->run, &body)) {
		err_set(&failure, ERR_OVERLOADED, "", "no memory for the answer");
		e = &failure;
	}
	if (e) {
		buf_finish(&body);
		reply_error(x->request, e);
	} else {
		reply_json_take(x->request, 200, &body);
	}
	part(x);
}

static void run_begun(void *arg)
{
	struct exchange *x = arg;
	struct run_view  v;
	struct buf       body;

	if (!x->background)
		return;
	run_view(x->run, &v);
	note(x);
	headers(x);
	buf_init(&body, 16 * KIB);
	if (!run_print(&body, &(struct run_read){
				      .run = v.run_id,
				      .status = RUN_RUNNING,
				      .conversation = v.conversation_id,
				      .model = x->model,
				      .provider = v.provider,
				      .created_ms = v.created_ms,
			      }))
		buf_clear(&body);
	reply_json_take(x->request, 202, &body);
	x->parting = true;
	/* Not from within the run's callback. */
	x->part_task.fn = part_now;
	loop_later(x->loop, &x->part_task);
}

static const struct run_observer observer = { run_open, run_wake, run_done, run_begun };

static void client_left(void *arg)
{
	struct exchange *x = arg;

	note(x);
	part(x);
}

void exchange_start(struct request *r, struct gateway *g, struct run_request *rq)
{
	rq->request_id = request_id(r);
	rq->who = request_key(r);
	rq->owner = request_owner(r);
	rq->trace = *request_trace(r);
	if (!rq->held)
		rq->held = snapshot_hold(g->now); /* so that the provider stays */
	rq->release = snapshot_release;
	if (request_idempotency_key(r).p)
		keyed_start(r, g, rq);
	else
		exchange_call(r, g, rq);
}

static void fail(struct request *r, struct keys_claim *claim, const struct err *e)
{
	if (claim)
		keys_over(claim, KEYS_FREED, e);
	reply_error(r, e);
}

static void drop(struct run_request *rq)
{
	input_destroy(TAKE(rq->input));
	rq->release(TAKE(rq->held));
}

/* begin: it has its place. */
static void begin(struct request *r, struct gateway *g, struct run_request *rq)
{
	struct err       e;
	struct exchange *x = calloc(1, sizeof *x);

	if (!x) {
		drop(rq);
		admit_over(&rq->pass, false, 0);
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		fail(r, rq->claim, &e);
		return;
	}
	*x = (struct exchange){
		.request = r,
		.native = rq->native,
		.streamed = rq->prompt.stream && !rq->background,
		.background = rq->background,
		.loop = g->loop,
	};
	/* The request's arena lives as long as the exchange may speak to the request. */
	x->model = arena_str(request_arena(r), rq->model);
	if (run_start(g->runs, rq, &observer, x, &x->run, &e) != ERR_OK) {
		free(x);
		admit_over(&rq->pass, false, 0);
		fail(r, rq->claim, &e);
		return;
	}
	request_on_left(r, client_left, x);
}

/* --- in front of the run --- */

/* A call on its way in, which may have to wait. */
struct entry {
	struct admit_wait  wait;
	struct request    *request;
	struct gateway    *gateway;
	struct run_request rq; /* owned, claim included */
};

static void entry_answer(struct admit_wait *w, const struct err *e)
{
	struct entry *x = container_of(w, struct entry, wait);

	if (e) {
		drop(&x->rq);
		fail(x->request, x->rq.claim, e);
	} else {
		x->rq.pass = w->pass;
		begin(x->request, x->gateway, &x->rq);
	}
	free(x);
}

static void entry_gone(struct admit_wait *w)
{
	free(container_of(w, struct entry, wait));
}

/* Nothing was begun, so nothing goes on without its client either. */
static void entry_left(void *arg)
{
	struct entry *x = arg;

	if (x->rq.claim)
		keys_over(TAKE(x->rq.claim), KEYS_FREED, NULL);
	drop(&x->rq);
	if (admit_leave(&x->wait))
		free(x);
}

void exchange_call(struct request *r, struct gateway *g, struct run_request *rq)
{
	struct entry *x = calloc(1, sizeof *x);
	struct err    e;

	if (!x) {
		drop(rq);
		err_set(&e, ERR_OVERLOADED, "", "no memory for the call");
		fail(r, rq->claim, &e);
		return;
	}
	*x = (struct entry){ .wait = { .fn = entry_answer, .gone = entry_gone },
			     .request = r, .gateway = g, .rq = *rq };
	switch (admission_enter(r, g, rq, &x->wait, &e)) {
	case ADMIT_IN: entry_answer(&x->wait, NULL); break;
	case ADMIT_REFUSED: entry_answer(&x->wait, &e); break;
	case ADMIT_WAITS: request_on_left(r, entry_left, x); break;
	}
}

enum errc exchange_target(const struct gateway *g, struct str model, const char *path,
			  struct run_request *ret, struct err *e)
{
	struct target target;
	enum errc     rc = registry_find_for(g->now->registry, model, ret->who, &target, e);

	if (rc != ERR_OK) {
		err_at(e, path);
		return rc;
	}
	ret->model = target.asked;
	ret->provider = target.provider;
	ret->route = target.model;
	ret->asked = target.asked;
	ret->label = target.label;
	ret->takes = target.takes;
	ret->prompt.model = target.upstream_model;
	return ERR_OK;
}

/* --- reading the body --- */

/* One body on its way to a run; a long one is read by a worker. */
struct reading {
	struct work_job    job;
	struct request    *request; /* NULL: the client left */
	struct gateway    *gateway;
	struct gateway     then;    /* as the gateway was at the start; its snapshot is held */
	struct identity   *who;     /* held */
	exchange_read_fn   read;
	struct run_request rq;
	struct err         err;
};

static void reading_left(void *arg)
{
	struct reading *x = arg;

	x->request = NULL;
	work_unwant(&x->job);
}

static void reading_run(struct work_job *job)
{
	struct reading *x = container_of(job, struct reading, job);

	x->err.code = x->read(x->rq.input, &x->then, &x->rq, &x->err);
}

static void serve(struct request *r, struct gateway *g, struct run_request *rq, struct err *e)
{
	if (e->code == ERR_OK) {
		exchange_start(r, g, rq);
		return;
	}
	input_destroy(rq->input);
	admission_show(r, g);
	reply_error(r, e);
}

static void reading_done(struct work_job *job)
{
	struct reading *x = container_of(job, struct reading, job);

	/* The provider that was found is that snapshot's, also when a reload came meanwhile. */
	if (x->request && x->err.code == ERR_OK)
		x->rq.held = TAKE(x->then.now);
	if (x->request) {
		request_on_left(x->request, NULL, NULL);
		serve(x->request, x->gateway, &x->rq, &x->err);
	} else {
		input_destroy(x->rq.input);
	}
	snapshot_release(x->then.now);
	identity_release(x->who);
	free(x);
}

static enum errc read_aside(struct request *r, struct gateway *g, const struct run_request *rq,
			    exchange_read_fn read, struct err *e)
{
	struct reading *x = calloc(1, sizeof *x);

	if (!x)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the call");
	*x = (struct reading){ .request = r, .gateway = g, .then = *g, .read = read, .rq = *rq };
	x->job = (struct work_job){ .loop = g->loop, .run = reading_run, .done = reading_done };
	x->who = identity_hold(rq->who);
	snapshot_hold(g->now);
	if (!work_submit(g->cpu, &x->job)) {
		snapshot_release(g->now);
		identity_release(x->who);
		free(x);
		return err_set(e, ERR_OVERLOADED, "", "too many large requests are waiting; try again");
	}
	request_on_left(r, reading_left, x);
	return ERR_OK;
}

void exchange_serve(struct request *r, struct gateway *g, exchange_read_fn read)
{
	struct run_request rq = { .input = request_input_take(r), .who = request_key(r) };
	struct err         e = { .code = ERR_OK };

	if (rq.input->body.len <= LIMIT_LOOP_JSON)
		e.code = read(rq.input, g, &rq, &e);
	else if (read_aside(r, g, &rq, read, &e) == ERR_OK)
		return;
	serve(r, g, &rq, &e);
}
