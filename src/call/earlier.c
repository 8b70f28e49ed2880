/* Gives the answer of an earlier call with the same key again, in its first shape. */
#include "base/limits.h"
#include "call/internal.h"
#include "desk/live.h"
#include "desk/tape.h"
#include "msg/family.h"
#include "run/follow.h"
#include "store/answer.h"
#include "store/run.h"

#include <stdlib.h>

enum { RUN_ARENA = 2 * LIMIT_STORE_ROW + MIB };

struct earlier {
	struct door_call *call;   /* NULL: it was left; a job is out */
	struct follow    *follow; /* the answer are the events of the run; NULL: the bytes */
	struct buf        bytes;
	size_t            at;
	bool              failed; /* the answer is bytes, the last of which are an error */
	bool              stored;
	bool              reading; /* the job is out */
	int               http;
	enum run_status   outcome;
	char              run[ID_MAX];
	char              conversation[ID_MAX];
	char             *text; /* owned; what the follower borrows */
	struct run_read   read;
};

static void earlier_destroy(struct earlier *k)
{
	if (k->follow)
		follow_leave(k->follow);
	buf_finish(&k->bytes);
	arena_finish(&k->read.arena);
	free(k->text);
	free(k);
}

void earlier_leave(struct earlier *k)
{
	k->call = NULL;
	if (!k->reading)
		earlier_destroy(k);
}

/* earlier_create: moves the bytes of read. NULL: no memory. */
static struct earlier *earlier_create(struct door_call *c, struct answer_find *read)
{
	struct earlier *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->call = c;
	k->bytes = read->bytes;
	read->bytes = (struct buf){ 0 };
	k->http = read->answer.http;
	k->stored = read->stored;
	k->outcome = read->outcome;
	id_text(read->run, ID_RUN, k->run);
	if (!id_none(read->conversation))
		id_text(read->conversation, ID_CONVERSATION, k->conversation);
	arena_init(&k->read.arena, RUN_ARENA);
	c->phase = DOOR_EARLIER;
	c->earlier = k;
	return k;
}

static void earlier_fail(struct earlier *k, enum errc code, const char *text)
{
	struct err e;

	err_set(&e, code, "", "%s", text);
	k->call->observer->run.done(k->call->arg, &e);
}

/* --- bytes --- */

static void give_bytes(struct earlier *k, const struct call_request *rq)
{
	const struct run_observer *o = &k->call->observer->run;

	if (!rq->what.prompt.stream || k->http != 200) {
		o->done(k->call->arg, NULL);
		return;
	}
	k->failed = k->outcome > RUN_COMPLETED;
	o->open(k->call->arg);
}

/* tell_lost: the answer is lost; headers say that a retry gets the same error. */
static void tell_lost(struct earlier *k)
{
	struct err e;

	if (k->http == 410) {
		err_set(&e, ERR_GONE, "", "this answer has been deleted");
	} else if (k->http == 503) {
		err_set(&e, ERR_STORAGE, "", "the answer could not be stored");
	} else {
		err_set(&e, ERR_INTERNAL, "",
			"the gateway stopped while this answer was being made");
		str_copy(e.wire, sizeof e.wire, STR("server_stopped"));
	}
	k->call->observer->run.done(k->call->arg, &e);
}

/* --- the events of the run --- */

static void on_follow_open(void *arg)
{
	struct earlier *k = arg;

	k->call->observer->run.open(k->call->arg);
}

static void on_follow_none(void *arg, const struct err *e)
{
	struct earlier *k = arg;

	k->follow = NULL;
	k->http = 204;
	k->call->observer->run.done(k->call->arg, e);
}

static void on_follow_wake(void *arg)
{
	struct earlier *k = arg;

	k->call->observer->run.wake(k->call->arg);
}

static const struct follow_observer follower = { on_follow_open, on_follow_none, on_follow_wake };

static struct follow_options options_of(struct earlier *k, const struct call_request *rq,
					struct id run)
{
	const struct door *d = k->call->door;

	return (struct follow_options){
		.loop = d->loop,
		.cpu = d->cpu,
		.store = d->store,
		.owner = rq->caller.owner,
		.run = run,
		.family = rq->manner.family,
		.want_usage = rq->manner.want_usage,
		.guess_in = rq->manner.guess_in,
		.reasoning = d->settings->reasoning,
		.observer = &follower,
		.arg = k,
	};
}

static void give_events(struct earlier *k, const struct follow_options *o)
{
	k->follow = follow_start(o);
	if (k->follow)
		return;
	tape_release(o->tape);
	earlier_fail(k, ERR_OVERLOADED, "no memory for the stream");
}

/* --- the run --- */

static void on_run_read(struct store_job *job)
{
	struct earlier         *k = container_of(job, struct earlier, read.job);
	const struct door_call *c = k->call;

	k->reading = false;
	if (!c)
		earlier_destroy(k);
	else if (job->err.code != ERR_OK)
		c->observer->run.done(c->arg, &job->err);
	else
		c->observer->shown(c->arg, &k->read);
}

/* show_run: the answer to a background request is the run in its present state. */
static void show_run(struct earlier *k, const struct call_request *rq, struct id run)
{
	const struct family *f = rq->manner.family;

	k->read.job = (struct store_job){ .loop = k->call->door->loop, .done = on_run_read };
	k->read.owner = rq->caller.owner;
	k->read.run = run;
	k->read.shape = f->object ? str_of(f->shapes->word) : STR_NONE;
	k->reading = true;
	if (store_run_read(k->call->door->store, &k->read))
		return;
	k->reading = false;
	earlier_fail(k, ERR_OVERLOADED, "too many reads are waiting; try again");
}

/* --- the answer --- */

static void refuse_kept(struct door_call *c, enum errc code, const char *text)
{
	struct err e;

	err_set(&e, code, "", "%s", text);
	door_refuse(c, &e);
}

void earlier_start(struct door_call *c, const struct call_request *rq, struct answer_find *read)
{
	bool            background = rq->manner.background;
	bool            body = read->answer.body.n > 0;
	struct earlier *k;

	if (!((rq->what.prompt.stream || background) && read->stored) && read->answer.http == 0) {
		refuse_kept(c, ERR_STORAGE,
			    "the answer for this Idempotency-Key is not stored yet");
		return;
	}
	k = earlier_create(c, read);
	if (!k) {
		refuse_kept(c, ERR_OVERLOADED, "no memory for the call");
		return;
	}
	door_limits(c, rq); /* the answer takes nothing of them */
	if (background) {
		show_run(k, rq, read->run);
	} else if (body) {
		give_bytes(k, rq);
	} else if (k->http > 200) {
		tell_lost(k);
	} else {
		struct follow_options o = options_of(k, rq, read->run);

		give_events(k, &o);
	}
}

/* keep_text: copies what a follower of a tape needs of the request, which ends before. */
static bool keep_text(struct earlier *k, const struct call_request *rq, struct follow_options *ret)
{
	struct str model = rq->what.model, settings = rq->manner.settings;

	k->text = malloc(model.n + settings.n + 1);
	if (!k->text)
		return false;
	memcpy(k->text, model.p, model.n);
	if (settings.n > 0)
		memcpy(k->text + model.n, settings.p, settings.n);
	ret->model = (struct str){ k->text, model.n };
	ret->settings = (struct str){ k->text + model.n, settings.n };
	return true;
}

bool earlier_follow(struct door_call *c, const struct call_request *rq, struct answer_find *read)
{
	struct follow_options o;
	struct live           live;
	struct earlier       *k;

	if (!rq->what.prompt.stream)
		return false;
	if (rq->manner.store) {
		earlier_start(c, rq, read);
		return true;
	}
	if (!live_find(read->run, rq->caller.owner, &live))
		return false;
	struct tape *tape = live_tape(read->run, rq->caller.owner);
	if (!tape)
		return false;
	k = earlier_create(c, read);
	if (!k) {
		tape_release(tape);
		refuse_kept(c, ERR_OVERLOADED, "no memory for the call");
		return true;
	}
	o = options_of(k, rq, read->run);
	o.tape = tape;
	o.created_ms = live.created_ms;
	o.shape = rq->manner.shape;
	door_limits(c, rq);
	if (keep_text(k, rq, &o)) {
		give_events(k, &o);
	} else {
		tape_release(tape);
		earlier_fail(k, ERR_OVERLOADED, "no memory for the stream");
	}
	return true;
}

struct str earlier_ready(struct earlier *k, bool *ret_last)
{
	if (k->follow)
		return follow_ready(k->follow, ret_last);
	*ret_last = true;
	return (struct str){ k->bytes.data + k->at, k->bytes.len - k->at };
}

void earlier_taken(struct earlier *k, size_t n)
{
	if (k->follow)
		follow_taken(k->follow, n);
	else
		k->at += n;
}

bool earlier_broken(const struct earlier *k, bool abort)
{
	return k->follow ? follow_broken(k->follow, abort) : abort && k->failed;
}

void earlier_whole(struct earlier *k, struct buf *out)
{
	buf_finish(out);
	*out = k->bytes;
	k->bytes = (struct buf){ 0 };
}

void earlier_view(const struct earlier *k, struct door_view *ret)
{
	*ret = (struct door_view){
		.run = { .id = str_of(k->run), .conversation = str_of(k->conversation) },
		.replayed = true,
		.failed = k->outcome > RUN_COMPLETED,
		.stored = k->stored,
		.http = k->http,
	};
}
