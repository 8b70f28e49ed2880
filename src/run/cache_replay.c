/* A kept answer as the call of a provider: its events, with the cuts of the first answer, at once.  An answer to a
 * plain call is taken apart for a stream, and one to a stream is gathered for a plain call; the provider's own bytes
 * are left out then. */
#include "run/cache.h"

#include "base/limits.h"
#include "msg/event_code.h"
#include "provider/provider.h"

#include <stdlib.h>

enum { REPLAY_EVENTS = 256, REPLAY_BYTES = 64 * KIB }; /* in one turn of the loop */

struct replay_call {
	struct provider_call call;
	struct run          *run;
	struct loop         *loop;
	struct task          more;                 /* can't be cancelled */
	struct str           left;                 /* the events to come */
	struct answer        answer;               /* a stream's events, for a plain call */
	struct event         start, finish, usage; /* kind EVENT__COUNT: none */
	bool                 paused;
	bool                 queued;
	bool                 cancelled; /* `more` frees the call */
};

static void replay_free(struct replay_call *c)
{
	if (c->queued) {
		c->cancelled = true;
		return;
	}
	answer_finish(&c->answer);
	free(c);
}

/* strip: without the provider's own bytes; false: nothing is left. */
static bool replay_strip(struct event *ev)
{
	ev->raw = ev->raw_usage = ev->raw_role = ev->raw_id = ev->raw_created = STR_NONE;
	ev->raw_only_usage = false;
	ev->cont = false;
	if (ev->kind == EVENT_OTHER)
		ev->text = STR_NONE;
	return ev->kind != EVENT_OTHER || ev->name.n > 0;
}

/* --- a plain answer for a stream --- */

static bool replay_part(void *arg, const struct event *ev)
{
	if (ev->kind != EVENT_START && ev->kind != EVENT_FINISH && ev->kind != EVENT_USAGE)
		call_event(arg, ev);
	return true;
}

static void replay_apart(struct run *r, struct event *ev)
{
	struct usage none = { 0 };

	if (!replay_strip(ev))
		return;
	if (ev->kind != EVENT_MESSAGE)
		call_event(r, ev);
	else if (!replay_answer(ev->text, STR_NONE, &none, replay_part, r))
		run_abort_later(r, ERR_INTERNAL, "the kept answer can't be read");
}

/* --- a stream for a plain call --- */

static void replay_gather(struct replay_call *c, struct event *ev)
{
	if (!replay_strip(ev))
		return;
	if (ev->kind == EVENT_START)
		c->start = *ev;
	else if (ev->kind == EVENT_FINISH)
		c->finish = *ev;
	else if (ev->kind == EVENT_USAGE)
		c->usage = *ev;
	else if (!answer_add(&c->answer, ev))
		run_overflow(c->run);
}

static void replay_pass(struct replay_call *c, const struct event *ev)
{
	if (ev->kind != EVENT__COUNT)
		call_event(c->run, ev);
}

static void replay_message(struct replay_call *c)
{
	struct buf out;

	buf_init(&out, 2 * (size_t)LIMIT_UPSTREAM_BODY);
	if (!answer_print(&c->answer, &out)) {
		run_overflow(c->run);
	} else {
		replay_pass(c, &c->start);
		call_event(c->run,
			   &(struct event){ .kind = EVENT_MESSAGE, .text = buf_view(&out) });
		replay_pass(c, &c->usage);
		replay_pass(c, &c->finish);
	}
	buf_finish(&out);
}

/* --- the call --- */

static void replay_end(struct replay_call *c)
{
	struct run  *r = c->run;
	struct event end = { .kind = EVENT_END };
	struct err   e;

	if (c->left.n > 0) {
		err_set(&e, ERR_INTERNAL, "", "the kept answer can't be read");
		end = (struct event){ .kind = EVENT_ERROR, .err = &e };
	} else if (!r->given.stream && cache_of(r)->find.stream) {
		replay_message(c);
	}
	replay_free(c);
	call_event(r, &end);
}

static void replay_one(struct replay_call *c, struct event *ev)
{
	if (ev->kind == EVENT_ASKED)
		return; /* cache.c has read it */
	if (c->run->given.stream == cache_of(c->run)->find.stream)
		call_event(c->run, ev);
	else if (c->run->given.stream)
		replay_apart(c->run, ev);
	else
		replay_gather(c, ev);
}

static void replay_more(struct task *t)
{
	struct replay_call *c = container_of(t, struct replay_call, more);
	size_t              least = c->left.n > REPLAY_BYTES ? c->left.n - REPLAY_BYTES : 0;
	struct event        ev;
	uint64_t            seq;

	c->queued = false;
	if (c->cancelled) {
		replay_free(c);
		return;
	}
	for (int i = 0; i < REPLAY_EVENTS && c->left.n >= least && !c->paused; i++) {
		if (!event_decode_again(&c->left, &ev, &seq)) {
			replay_end(c);
			return;
		}
		replay_one(c, &ev);
	}
	if (!c->paused) {
		c->queued = true;
		loop_later(c->loop, &c->more);
	}
}

static void replay_cancel(struct provider_call *call)
{
	replay_free(container_of(call, struct replay_call, call));
}

static void replay_pause(struct provider_call *call, bool pause)
{
	struct replay_call *c = container_of(call, struct replay_call, call);

	c->paused = pause;
	if (pause || c->queued)
		return;
	c->queued = true;
	loop_later(c->loop, &c->more);
}

static const struct provider_ops replay_ops = {
	.dialect = "cache",
	.cancel = replay_cancel,
	.pause = replay_pause,
};

static const struct provider replay_provider = { .ops = &replay_ops, .name = "cache" };

enum errc cache_replay_start(struct run *r, struct err *e)
{
	struct replay_call *c = calloc(1, sizeof *c);

	if (!c)
		return err_no_memory(e);
	c->call.provider = &replay_provider;
	c->run = r;
	c->loop = run_loop(r);
	c->more.fn = replay_more;
	c->left = buf_view(&cache_of(r)->events);
	c->start.kind = c->finish.kind = c->usage.kind = EVENT__COUNT;
	answer_init(&c->answer);
	r->call = &c->call;
	r->paused = false;
	r->bill.charged = true; /* with nothing: the cost is known, and is 0 */
	c->queued = true;
	loop_later(c->loop, &c->more);
	call_begun(r); /* may free the run */
	return ERR_OK;
}
