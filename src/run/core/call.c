/* The provider's call: its beginning, its events and its end. */
#include "base/clock.h"
#include "run/cache.h"

/* error_for_client: the failure as the client is told it.  For a client that has a part of the answer, an
 * unreadable rest means that the stream is incomplete. */
static struct err error_for_client(const struct run *r, const struct err *e)
{
	struct err ret = *e;

	if (r->state == STATE_STREAMING && e->code == ERR_UPSTREAM_BAD_RESPONSE)
		ret.code = ERR_STREAM_INCOMPLETE;
	return ret;
}

static void complete_now(struct run *r)
{
	if (r->aborting) /* the run ends in the next turn of the loop */
		return;
	if (r->attempt.on)
		attempt_good(r);
	run_complete(r);
}

void call_complete(struct run *r)
{
	run_stages_drain(r, DRAIN_COMPLETE);
}

/* call_ended_well: what follows the call is decided when all of it has been passed on. */
static void call_ended_well(struct run *r)
{
	/* Events that were held came after the first flush. */
	if (run_stages_with(r, STAGE_PART_DRAIN))
		run_stages_flush(r);
	if (!r->aborting && !run_stages_more(r))
		call_complete(r);
}

void call_drained(struct run *r, enum drain_then then)
{
	struct err e = { .code = ERR_OK };

	switch (then) {
	case DRAIN_ENDED: call_ended_well(r); break;
	case DRAIN_COMPLETE: complete_now(r); break;
	case DRAIN_STEP: step_over(r, &e); break;
	case DRAIN_NOT:
	case DRAIN_AT_ONCE: break;
	}
}

enum step_next call_pass_on(struct run *r, struct err *e)
{
	(void)e;
	run_stages_drain(r, DRAIN_AT_ONCE);
	if (r->stages.then == DRAIN_NOT)
		return STEP_MORE;
	r->stages.then = DRAIN_STEP;
	return STEP_PARKED;
}

static void call_take_end(struct run *r, const struct event *ev)
{
	r->call = NULL; /* the provider has freed the call */
	if (ev->kind == EVENT_END && !r->aborting)
		run_stages_flush(r);
	if (ev->kind == EVENT_END && !r->aborting) {
		run_stages_drain(r, DRAIN_ENDED);
		return;
	}
	if (r->aborting) {
		run_finish(r, r->failure);
		return;
	}
	if (ev->usage.known)
		attempt_told(r, &ev->usage);

	struct err e = error_for_client(r, ev->err);
	if (cache_is_hit(r) || !attempt_again(r, &e))
		run_finish(r, &e);
}

void call_event(void *arg, const struct event *ev)
{
	struct run *r = arg;

	if (ev->kind == EVENT_ERROR || ev->kind == EVENT_END)
		call_take_end(r, ev);
	else
		run_enter(r, ev);
}

/* --- the call --- */

enum errc call_ask(struct run *r, struct err *e)
{
	const struct provider *p = r->provider;
	struct prompt         *prompt = &r->rq->what.prompt;

	r->paused = false;
	enum errc rc = p->ops->start(p, &r->engine->o.env, prompt, call_event, r, &r->call, e);
	prompt->body = NULL;
	return rc;
}

void call_drop(struct run *r)
{
	struct provider_call *call = TAKE(r->call);

	if (call)
		call->provider->ops->cancel(call);
}

void call_pause(struct run *r, bool pause)
{
	if (r->paused == pause || !(r->call || r->computer))
		return;
	r->paused = pause;
	if (r->call)
		r->call->provider->ops->pause(r->call, pause);
	else
		run_stages_pause(r, pause);
}

enum step_next call_start(struct run *r, struct err *e)
{
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);

	r->content = now->log_content && !r->given.embed;
	if (r->content)
		content_asked(r);
	if (cache_is_hit(r))
		return cache_replay_start(r, e) == ERR_OK ? STEP_DONE : STEP_FAILED;
	return attempt_first(r, e) == ERR_OK ? STEP_DONE : STEP_FAILED;
}

void call_waits(struct run *r)
{
	run_stages_begun(r);
	if (r->slot)
		claim_reach(r->slot->claim, CLAIM_DISPATCHED, r->names.id, r->names.conversation);
	/* The last thing done here: the reader may leave from within, and the run may be freed. */
	if (r->observer && r->observer->begun)
		r->observer->begun(r->observer_arg);
}

void call_begun(struct run *r)
{
	if (attempt_only(r) && !r->computer && !r->given.resumes && !save_is_late(r))
		run_drop_request(r);
	call_waits(r);
}
