/* The provider's call: its beginning, its events and its end. */
#include "base/clock.h"
#include "run/internal.h"

/* error_for_client: the failure as the client is told it.  For a client that has a part of the answer, an
 * unreadable rest means that the stream is incomplete. */
static struct err error_for_client(const struct run *r, const struct err *e)
{
	struct err ret = *e;

	if (r->state == STATE_STREAMING && e->code == ERR_UPSTREAM_BAD_RESPONSE)
		ret.code = ERR_STREAM_INCOMPLETE;
	return ret;
}

static void call_take_end(struct run *r, const struct event *ev)
{
	r->call = NULL; /* the provider has freed the call */
	if (ev->kind == EVENT_END && !r->aborting)
		run_stages_flush(r);
	if (ev->kind == EVENT_END && !r->aborting) {
		if (run_stages_more(r))
			return;
		attempt_good(r);
		run_complete(r);
		return;
	}
	if (r->aborting) {
		run_finish(r, r->failure);
		return;
	}
	if (ev->usage.known)
		attempt_told(r, &ev->usage);

	struct err e = error_for_client(r, ev->err);
	if (!attempt_again(r, &e))
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
	return attempt_first(r, e) == ERR_OK ? STEP_DONE : STEP_FAILED;
}

void call_begun(struct run *r)
{
	if (attempt_only(r) && !r->computer)
		run_drop_request(r);
	run_stages_begun(r);
	if (r->slot)
		claim_reach(r->slot->claim, CLAIM_DISPATCHED, r->names.id, r->names.conversation);
	/* The last thing done here: the reader may leave from within, and the run may be freed. */
	if (r->observer && r->observer->begun)
		r->observer->begun(r->observer_arg);
}
