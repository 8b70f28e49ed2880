/* The provider's part of a run: the prompt, the call, its events. */
#include "base/clock.h"
#include "base/limits.h"
#include "lmc/context.h"
#include "run/internal.h"


/* --- its events --- */

static bool is_content(enum event_kind kind)
{
	switch (kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_MEDIA:
	case EVENT_MESSAGE: return true;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_LMC:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT__COUNT: break;
	}
	return false;
}

static void first_content(struct run *r)
{
	run_move(r, STATE_STREAMING);
	r->first_token_us = clock_mono_us();
	r->first_token_ms = clock_wall_ms();
	feed_open(r);
}

/* keep: what the end will store or answer with; false: over a limit. */
static bool keep(struct run *r, const struct event *ev)
{
	if (!r->rq.prompt.stream && ev->raw.n > 0 && !ev->cont && !buf_str(&r->raw, ev->raw))
		return false;
	if (ev->kind == EVENT_USAGE)
		r->usage = ev->usage;
	if (ev->kind == EVENT_FINISH && ev->choice == 0 && !r->finish_reason[0])
		str_copy(r->finish_reason, sizeof r->finish_reason, ev->text);
	/* A plain answer that goes through as it came needs no second copy, unless it is stored. */
	if (run_stored(r) || (ev->kind == EVENT_MESSAGE && ev->raw.n == 0 && !ev->cont))
		return answer_add(&r->answer, ev);
	return true;
}

static void on_event(void *arg, const struct event *ev)
{
	struct run *r = arg;

	if (ev->kind == EVENT_ERROR || ev->kind == EVENT_END) {
		r->call = NULL; /* gone by itself */
		if (r->aborting)
			run_fail(r, &r->failure);
		else if (ev->kind == EVENT_END)
			run_finish(r, RUN_COMPLETED, NULL);
		else
			run_fail(r, ev->err);
		return;
	}
	if (r->aborting)
		return;
	if (!ev->cont)
		r->seq++;
	if (run_stored(r))
		save_reserve_ahead(r);
	if (!keep(r, ev)) {
		run_abort_later(r, ERR_UPSTREAM_BAD_RESPONSE, "the answer is over the size that is kept");
		return;
	}
	feed_print(r, ev);
	if (r->state == STATE_CALLING && is_content(ev->kind))
		first_content(r);
}

/* --- the call --- */

static void on_commit_timer(struct timer *t)
{
	feed_open(container_of(t, struct run, commit_timer));
}

static enum errc put_instruction(struct run *r, struct str *ret, struct err *e)
{
	struct buf text;
	struct str made = STR_NONE;

	buf_init(&text, LIMIT_BODY_MAX);
	if (buf_text(&text, "{\"role\":\"system\",\"content\":") &&
	    buf_json_string(&text, r->rq.instruction) && buf_text(&text, "}"))
		made = arena_str(&r->rq.input->arena, buf_view(&text));
	buf_finish(&text);
	if (!made.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the instruction");
	*ret = made;
	return ERR_OK;
}

/* render: one message as the provider sees it; OpenAI's requests go through untouched. */
static enum errc render(struct run *r, struct str message, struct str *ret, struct err *e)
{
	if (r->rq.native)
		return context_render(message, &r->rq.input->arena, ret, e);
	*ret = message;
	return ERR_OK;
}

/* build_prompt: instruction, the branch that is continued, the new messages. */
static enum errc build_prompt(struct run *r, struct err *e)
{
	/* The branch that is continued, if there is one. */
	const struct store_message *old = r->jobs ? r->jobs->branch.messages : NULL;
	size_t      old_count = r->jobs ? r->jobs->branch.message_count : 0;
	size_t      count = old_count + r->rq.message_count + 1;
	struct str *list = arena_alloc(&r->rq.input->arena, count * sizeof *list);
	size_t      n = 0;
	enum errc   rc = ERR_OK;

	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (r->rq.instruction.n > 0)
		rc = put_instruction(r, &list[n++], e);
	for (size_t i = 0; rc == ERR_OK && i < old_count; i++)
		rc = render(r, old[i].body, &list[n++], e);
	for (size_t i = 0; rc == ERR_OK && i < r->rq.message_count; i++)
		rc = render(r, r->rq.messages[i], &list[n++], e);
	r->rq.prompt.messages = list;
	r->rq.prompt.message_count = n;
	return rc;
}

void call_start(struct run *r)
{
	struct err                 e;
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);
	const struct provider     *p = r->rq.provider;

	run_move(r, STATE_CALLING);
	r->begun = true;
	if (r->engine->stopping.code != ERR_OK) {
		run_fail(r, &r->engine->stopping);
		return;
	}
	if (!r->observer && !r->rq.finish) {
		err_set(&e, ERR_CANCELLED, "", "the client left");
		run_finish(r, RUN_CANCELLED, &e);
		return;
	}
	r->called_us = loop_now_us(run_loop(r));
	if (build_prompt(r, &e) != ERR_OK ||
	    p->ops->start(p, &r->engine->o.env, &r->rq.prompt, on_event, r, &r->call, &e) != ERR_OK) {
		run_fail(r, &e);
		return;
	}
	run_drop_request(r);
	if (r->rq.prompt.stream) {
		r->commit_timer.fn = on_commit_timer;
		timer_start(run_loop(r), &r->commit_timer, now->commit_after_us);
	}
}
