/* The provider's part of a run: the prompt, the call, its events. */
#include "base/clock.h"
#include "base/limits.h"
#include "shape/reasoning.h"
#include "shape/terminal.h"
#include "msg/event_code.h"
#include "run/computer.h"
#include "run/internal.h"
#include "store/conversation.h"

#include <errno.h>

enum { ASIDE_US = 10 * 1000 }; /* the time between two looks whether a worker still has the run */

/* --- the provider's events --- */

static bool ends_in(struct str s, struct str tail)
{
	return s.n > tail.n && memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0;
}

/* is_flag: whether an LMC chunk only opens or ends a segment.  Dialects print the flag as the last
 * member. */
static bool is_flag(struct str chunk)
{
	return ends_in(chunk, STR(",\"start\":true}")) || ends_in(chunk, STR(",\"end\":true}"));
}

static bool is_content(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_MEDIA:
	case EVENT_MESSAGE: return !ev->hollow;
	case EVENT_LMC: return !is_flag(ev->text);
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_USAGE:
	case EVENT_FINISH:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT__COUNT: break;
	}
	return false;
}

static void first_content(struct run *r)
{
	run_move(r, STATE_STREAMING);
	if (r->computer) {
		r->computer->token_us = clock_mono_us();
		r->computer->token_ms = clock_wall_ms();
	}
	if (!r->first_token_us) {
		r->first_token_us = clock_mono_us();
		r->first_token_ms = clock_wall_ms();
		r->news = true; /* goes to the store with the next events */
		if (r->live)
			live_set_first(r->live, r->first_token_ms);
	}
	attempt_content(r);
	feed_open(r);
}

/* call_keep: keeps of an event what the end of the run stores or answers with.  False: the answer
 * is over a limit, or memory is short. */
static bool call_keep(struct run *r, const struct event *ev)
{
	if (!r->stream && ev->raw.n > 0 && !ev->cont && !answer_raw(&r->answer, ev))
		return false;
	if (ev->kind == EVENT_USAGE)
		r->usage = ev->usage;
	/* A longer word is none of OpenAI's, and is left out: a word that was cut inside an escape
	 * would break the JSON around it. */
	if (ev->kind == EVENT_FINISH && ev->choice == 0 && !r->finish_reason[0] &&
	    ev->text.n < sizeof r->finish_reason) {
		str_copy(r->finish_reason, sizeof r->finish_reason, ev->text);
		if (ev->name.n < sizeof r->native_reason)
			str_copy(r->native_reason, sizeof r->native_reason, ev->name);
	}
	/* A plain answer in the provider's own bytes needs no second copy, unless it is stored. */
	bool through = r->feed.encoder->raws & 1u << ev->form && (ev->raw.n > 0 || ev->cont);
	bool whole = ev->kind == EVENT_MESSAGE || ev->kind == EVENT_LMC;
	if (run_stored(r) || r->content || r->computer || (whole && !r->stream && !through))
		return answer_add(&r->answer, ev);
	return true;
}

static void too_much(struct run *r)
{
	if (buf_starved())
		run_abort_later(r, ERR_OVERLOADED, "no memory for the answer");
	else
		run_abort_later(r, ERR_UPSTREAM_BAD_RESPONSE,
				"the answer is over the size that is kept");
}

/* call_give: passes a committed event on to the bill and to the first client. */
static void call_give(struct run *r, const struct event *ev, uint64_t seq)
{
	if (ev->pass != PASS_PRINT) {
		if (run_stored(r))
			save_reserve_ahead(r);
		bill_answer(r, ev);
	}
	if (ev->pass != PASS_KEEP)
		feed_print(r, ev, seq);
	if (r->state == STATE_CALLING && is_content(ev))
		first_content(r);
}

static void call_take(struct run *r, const struct event *ev)
{
	errno = 0;
	if (ev->pass != PASS_PRINT && (!call_keep(r, ev) || !journal_event(r, ev))) {
		too_much(r);
		return;
	}
	call_give(r, ev, r->seq);
}

/* let_out: passes on the events that were held until the attempt was committed. */
static void let_out(struct run *r)
{
	struct str   held = tape_uncommitted(r->tape);
	struct event ev;
	uint64_t     seq;

	tape_commit(r->tape);
	errno = 0;
	while (!r->aborting && event_decode(&held, &ev, &seq)) {
		if (ev.kind == EVENT_ASKED)
			continue;
		if (call_keep(r, &ev))
			call_give(r, &ev, seq);
		else
			too_much(r);
	}
	if (held.n > 0)
		run_abort_later(r, ERR_INTERNAL, "an event that was held back can't be read");
	journal_committed(r);
}

/* commit_attempt: makes this attempt the run's last one, and passes its held events on.  False: the
 * run is ending. */
static bool commit_attempt(struct run *r)
{
	if (r->live && r->call)
		r->live->log.http = (int16_t)r->call->http;
	r->attempt.committed = true;
	if (!r->computer) { /* further steps need the request */
		run_drop_request(r);
		attach_release(r);
	}
	run_idem_commit(r);
	let_out(r);
	return !r->aborting;
}

void call_open(struct run *r)
{
	if (!r->committed) {
		run_idem_commit(r);
		let_out(r);
	}
	feed_open(r);
}

/* said: the failure as the client is told it.  For a client that has a part of the answer, an
 * unreadable rest means that the stream is incomplete. */
static struct err said(const struct run *r, const struct err *e)
{
	struct err ret = *e;

	if (r->state == STATE_STREAMING && e->code == ERR_UPSTREAM_BAD_RESPONSE)
		ret.code = ERR_STREAM_INCOMPLETE;
	return ret;
}

static void call_take_end(struct run *r, const struct event *ev)
{
	if (r->computer && ev->kind == EVENT_END && !r->aborting)
		interpret_end(r);
	r->call = NULL; /* the provider has freed the call */
	if (ev->kind == EVENT_END && !r->aborting && (r->committed || commit_attempt(r))) {
		if (r->computer && settle_goes_on(r))
			return;
		attempt_good(r);
		r->ended_ms = clock_wall_ms();
		if (!print_aside(r))
			run_finish(r, NULL);
		return;
	}
	if (r->aborting) {
		run_finish(r, r->failure);
		return;
	}
	if (ev->usage.known)
		r->attempt.told = ev->usage;

	struct err e = said(r, ev->err);
	if (!attempt_again(r, &e))
		run_finish(r, &e);
}

/* waits: holds back an event that says nothing of the answer yet.  False: the event commits the
 * attempt: by content or a finish_reason, because commit_after is over, or because the tape has no
 * room for it. */
static bool waits(struct run *r, const struct event *ev)
{
	struct event held = *ev;
	bool         raw = !r->stream && ev->raw.n > 0 && !ev->cont;

	if (raw)
		held.raw = held.raw_usage = held.raw_role = held.raw_id = held.raw_created =
			STR_NONE;
	if (r->commit_due || ev->certain || is_content(ev) || ev->kind == EVENT_FINISH ||
	    !journal_hold(r, &held))
		return false;
	if (ev->kind == EVENT_USAGE)
		r->attempt.told = ev->usage;
	/* The bytes of a plain answer are copied once, to r->answer, and not to the tape. */
	errno = 0;
	if (raw && !answer_raw(&r->answer, ev))
		too_much(r);
	return true;
}

static void come(struct run *r, const struct event *ev)
{
	if (!r->aborting && (r->committed || (!waits(r, ev) && commit_attempt(r))))
		call_take(r, ev);
}

void call_come(struct run *r, const struct event *ev)
{
	r->attempt.committed |= r->committed && r->attempt.on;
	come(r, ev);
}

/* come_masked: rows, logs and traces repeat why an answer ended, unlike its content, so secrets are
 * removed from the reason.  The raw bytes of the chunk still have them, and say nothing else, so
 * the encoder then makes the chunk from the event. */
static void come_masked(struct run *r, const struct event *ev)
{
	const struct mask *mask = r->provider->mask;
	struct event       said = *ev;
	char               text[LIMIT_MASK_TEXT];
	char               name[LIMIT_MASK_TEXT];
	bool               hidden = mask_text(mask, ev->text, text, sizeof text);

	if (hidden)
		said.text = str_of(text);
	if (mask_text(mask, ev->name, name, sizeof name)) {
		said.name = str_of(name);
		hidden = true;
	}
	if (hidden)
		said.raw = STR_NONE;
	come(r, &said);
}

void call_event(void *arg, const struct event *ev)
{
	struct run *r = arg;

	if (ev->kind == EVENT_ERROR || ev->kind == EVENT_END)
		call_take_end(r, ev);
	else if (r->computer)
		interpret_event(r, ev);
	else if (ev->kind == EVENT_FINISH)
		come_masked(r, ev);
	else
		come(r, ev);
}

/* --- the call --- */

static void on_commit_timer(struct timer *t)
{
	struct run *r = container_of(t, struct run, commit_timer);

	r->commit_due = true;
	if (r->aside.on) {
		timer_start(run_loop(r), t, ASIDE_US);
		return;
	}
	/* The status of the stream goes out.  An attempt that has sent no event yet is not
	 * committed: another one may still follow. */
	if (r->committed || tape_uncommitted(r->tape).n == 0 || commit_attempt(r))
		feed_open(r);
}

static enum errc put_instruction(struct run *r, struct str *ret, struct err *e)
{
	struct buf text;
	struct str made = STR_NONE;

	buf_init(&text, LIMIT_BODY_MAX);
	if (buf_text(&text, "{\"role\":\"system\",\"content\":") &&
	    buf_json_string(&text, r->rq->what.instruction) && buf_text(&text, "}"))
		made = arena_str(&r->rq->input->arena, buf_view(&text));
	buf_finish(&text);
	if (!made.p)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the instruction");
	*ret = made;
	return ERR_OK;
}

enum errc call_messages(struct run *r, struct str **ret, size_t *ret_count, size_t *ret_old,
			struct err *e)
{
	const struct branch_read   *branch = run_branch(r);
	const struct store_message *old = branch ? branch->messages : NULL;
	size_t                      old_count = branch ? branch->message_count : 0;
	size_t                      count = old_count + r->rq->what.message_count;
	struct str *list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *list);

	if (!list) {
		err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		return ERR_OVERLOADED;
	}
	for (size_t i = 0; i < old_count; i++)
		list[i] = old[i].body;
	if (r->rq->what.message_count > 0)
		memcpy(list + old_count, r->rq->what.messages,
		       r->rq->what.message_count * sizeof *list);
	*ret = list;
	*ret_count = count;
	*ret_old = old_count;
	if (r->computer && !computer_said(r, list, ret_count))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	return ERR_OK;
}

/* fit_outputs: a provider is sent the beginning and the end of a long output of the computer. */
static bool fit_outputs(struct run *r, struct str *list, size_t count)
{
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = terminal_fit(list[i], &r->rq->input->arena, &list[i]);
	return ok;
}

/* render: replaces stored messages by the messages that a provider is sent. */
static enum errc render(struct run *r, struct str **list, size_t *count, size_t old,
			struct transcript_items *items, struct err *e)
{
	struct transcript_options o = {
		.fence = r->rq->manner.fence,
		.answers_calls = r->rq->what.answers_calls,
		.old = old,
		.warnings = call_warnings(r),
		.unrun = r->engine->o.computer != NULL,
		.files = run_files(r),
		.arena = &r->rq->input->arena,
		.items = items,
	};

	o.made = r->rq->what.prompt.made = attach_made(r, &o.made_count);
	r->rq->what.prompt.made_count = o.made_count;
	if (!r->family->renders) {
		for (size_t i = 0; o.made && i < o.made_count; i++)
			(*list)[o.made[i].message] = o.made[i].text;
		return ERR_OK;
	}
	if (o.unrun && !fit_outputs(r, *list, *count))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	o.images = image_list(r, &o.image_count);
	enum errc rc = transcript_render(*list, *count, &o, list, count, e);
	for (size_t i = 0; rc == ERR_OK && i < *count; i++)
		if (!reasoning_unsaid((*list)[i], o.arena, &(*list)[i]))
			rc = err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	return rc;
}

/* The request to continue an answer that broke off.  Neither the user nor the model has written it,
 * so it is not stored. */
static const struct str go_on = {
	.p = "{\"role\":\"user\",\"content\":\"Your last message broke off. Go on exactly where it "
	     "ended, without repeating any of it.\"}",
	.n = sizeof "{\"role\":\"user\",\"content\":\"Your last message broke off. Go on exactly "
		    "where it ended, without repeating any of it.\"}" -
	     1,
};

static bool says(struct str message, const char *role, const char *or_role)
{
	struct json_doc doc = { 0 };
	struct err      e;
	bool ok = json_scan(&doc, message.p, message.n, &json_limits_stored, &e) == ERR_OK &&
		  (json_get_is(&doc, 0, "role", role) || json_get_is(&doc, 0, "role", or_role));

	json_doc_finish(&doc);
	return ok;
}

/* says_system: whether a message is the client's own instruction. */
static bool says_system(const struct str *messages, size_t count)
{
	bool found = false;

	for (size_t i = 0; !found && i < count; i++)
		found = says(messages[i], "system", "developer");
	return found;
}

/* broke_off: the model has to go on with its own last message, and not behind what the computer has
 * printed for it. */
static bool broke_off(const struct run *r, const struct str *messages, size_t count)
{
	if (id_none(r->rq->thread.continues))
		return false;
	return !r->computer ||
	       (!r->rq->manner.computing->waiting && !answer_any(&r->answer) &&
		(count == 0 || says(messages[count - 1], "assistant", "assistant")));
}

struct warnings *call_warnings(struct run *r)
{
	return r->computer ? computer_warnings(r) : &r->warnings;
}

/* leave_native: the client's own words go on only where its messages are those of the prompt, one by
 * one; LMC messages of the branch may have been joined. */
static bool leave_native(struct run *r)
{
	struct call_request *rq = r->rq;

	if (!prompt_is_native(&rq->what.prompt, PROVIDER_RESPONSES))
		return true;
	rq->what.prompt.native = NULL;
	return warnings_join(&r->warnings, rq->what.warnings, rq->what.warning_count);
}

/* build_prompt: the instruction, the messages of the branch, the new messages. */
static enum errc build_prompt(struct run *r, struct err *e)
{
	struct str             *messages = NULL;
	size_t                  count = 0;
	size_t                  old = 0;
	enum errc               rc = call_messages(r, &messages, &count, &old, e);
	bool                    native = prompt_is_native(&r->rq->what.prompt, PROVIDER_RESPONSES);
	struct transcript_items items = { .list = NULL };

	if (rc == ERR_OK && native) {
		items.list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *items.list);
		if (!items.list)
			return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
		memset(items.list, 0, (count + 2) * sizeof *items.list);
	}
	if (rc == ERR_OK)
		rc = render(r, &messages, &count, old, native ? &items : NULL, e);
	if (rc != ERR_OK)
		return rc;
	if (items.joined && !leave_native(r))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");

	struct str *list = arena_alloc(&r->rq->input->arena, (count + 2) * sizeof *list);
	size_t      n = 0;
	if (!list)
		return err_set(e, ERR_OVERLOADED, "", "no memory for the prompt");
	if (r->rq->what.instruction_default && says_system(messages, count))
		r->rq->what.instruction = STR_NONE;
	r->rq->what.prompt.instruction = r->rq->what.instruction;
	if (r->rq->what.instruction.n > 0)
		rc = put_instruction(r, &list[n++], e);
	if (count > 0)
		memcpy(list + n, messages, count * sizeof *list);
	n += count;
	if (broke_off(r, messages, count))
		list[n++] = go_on;
	if (items.any && r->rq->what.prompt.native && count > 0) {
		/* The instruction has none. */
		memmove(items.list + n - count, items.list, count * sizeof *items.list);
		if (n > count)
			items.list[0] = STR_NONE;
		r->rq->what.prompt.items = items.list;
	}
	r->rq->what.prompt.old = old + (n - count);
	r->rq->what.prompt.messages = list;
	r->rq->what.prompt.message_count = n;
	r->rq->what.prompt.warnings = call_warnings(r);
	return rc;
}

static enum errc prepare(struct run *r, struct err *e)
{
	if (build_prompt(r, e) != ERR_OK)
		return e->code;
	r->prepared = true;
	bill_weigh(r);
	return ERR_OK;
}

enum step_next call_prompt(struct run *r, struct err *e)
{
	return step_aside(r, prepare, e);
}

enum step_next call_start(struct run *r, struct err *e)
{
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);

	r->content = now->log_content && !r->embed;
	content_asked(r);
	return attempt_first(r, e) == ERR_OK ? STEP_DONE : STEP_FAILED;
}

void call_begun(struct run *r)
{
	const struct run_settings *now = r->engine->o.settings(r->engine->o.arg);

	if (attempt_only(r) && !r->computer)
		run_drop_request(r);
	if (r->stream && !r->headers_sent) {
		r->commit_timer.fn = on_commit_timer;
		timer_start(run_loop(r), &r->commit_timer, now->commit_after_us);
	}
	if (r->claim)
		idem_reach(r->claim, IDEM_DISPATCHED, r->id, r->conversation);
	/* The last thing done here: the reader may leave from within, and the run may be freed. */
	if (r->observer && r->observer->begun)
		r->observer->begun(r->observer_arg);
}
