/* Translates the events of a provider's call into chunks of LMC while they come, and gathers the
 * code among them. */
#include "base/limits.h"
#include "lmc/segment.h"
#include "lmc/text.h"
#include "provider/secret_mask.h"
#include "run/computer.h"
#include "shape/answer.h"

#include <stdlib.h>

/* --- segments --- */

/* end_piece: gives the chunk to which the texts of one event were added. */
static bool end_piece(struct run_computer *c)
{
	if (!c->in_piece)
		return true;
	c->in_piece = false;
	if (!buf_text(&c->chunk, "\"}"))
		return false;
	computer_say(c->run, buf_view(&c->chunk));
	return !c->run->aborting;
}

static bool say_flag(struct run_computer *c, const char *flag)
{
	buf_clear(&c->chunk);
	if (!buf_str(&c->chunk, buf_view(&c->head)) || !buf_text(&c->chunk, flag))
		return false;
	computer_say(c->run, buf_view(&c->chunk));
	return !c->run->aborting;
}

static bool interpret_open(void *arg, enum segment_kind kind, struct str format)
{
	struct run_computer *c = arg;
	bool                 code = kind == SEGMENT_CODE;

	if (c->cut)
		return true;
	if (!end_piece(c))
		return false;
	buf_clear(&c->head);
	c->kind = kind;
	return spool_head(&c->head, kind, format.p != NULL, format) &&
	       say_flag(c, ",\"start\":true}") &&
	       (!(code || kind == SEGMENT_TOOL_CALL) || computer_code(c, format, STR_NONE, !code));
}

static bool interpret_text(void *arg, struct str text)
{
	struct run_computer *c = arg;

	if (c->cut)
		return true;
	if (c->kind == SEGMENT_CODE && !buf_str(&c->codes[c->code_count - 1].text, text))
		return false;
	if (!c->in_piece) {
		buf_clear(&c->chunk);
		if (!buf_str(&c->chunk, buf_view(&c->head)) ||
		    !buf_text(&c->chunk, ",\"content\":\""))
			return false;
		c->in_piece = true;
	}
	return text_put(&c->chunk, text);
}

static void cut_now(struct task *t)
{
	struct run_computer *c = container_of(t, struct run_computer, cut_task);
	struct run          *r = c->run;

	run_release(r);
	if (r->state == STATE_STREAMING && r->call && !r->aborting) {
		call_drop(r);
		call_event(r, &(struct event){ .kind = EVENT_END });
	} else {
		run_free_if_over(r);
	}
}

/* cut_soon: what a model writes after fenced code that runs is its guess of the output. */
static void cut_soon(struct run_computer *c)
{
	c->cut = true;
	c->cut_task.fn = cut_now;
	run_hold(c->run);
	loop_later(run_loop(c->run), &c->cut_task);
}

static bool interpret_close(void *arg)
{
	struct run_computer *c = arg;

	if (c->cut)
		return true;
	if (!end_piece(c) || !say_flag(c, ",\"end\":true}"))
		return false;
	char name[LANGUAGES_NAME];

	if (c->kind != SEGMENT_CODE || !c->run->rq->manner.fence)
		return true;
	if (!computer_allows(c, buf_view(&c->codes[c->code_count - 1].language), name))
		computer_forget_last(c);
	else if (
		!c->ending) /* while the call goes on, only a fence ends code, or the call with index 0 */
		cut_soon(c);
	return true;
}

static const struct segment_sink sink = { interpret_open, interpret_text, interpret_close };

/* --- events --- */

static struct speech_options interpret_options_of(struct run_computer *c)
{
	return (struct speech_options){
		.fences = c->run->given.fences, .sink = &sink, .arg = c, .max = LIMIT_ANSWER
	};
}

/* interpret_begin_call: the first piece of a call makes its speech. */
static bool interpret_begin_call(struct run_computer *c)
{
	struct speech_options o = interpret_options_of(c);

	if (!c->speech)
		c->speech = speech_create(&o);
	else if (c->again)
		speech_again(c->speech, &o);
	c->again = false;
	return c->speech;
}

static bool interpret_decode(struct run_computer *c, struct str escaped, struct str *ret)
{
	if (escaped.n == 0 || !memchr(escaped.p, '\\', escaped.n)) {
		*ret = escaped;
		return true;
	}
	buf_clear(&c->decoded);
	if (!text_add(&c->decoded, escaped))
		return false;
	*ret = buf_view(&c->decoded);
	return true;
}

static bool interpret_call(struct run_computer *c, const struct event *ev)
{
	bool       starts = ev->kind == EVENT_TOOL_START;
	struct str text;

	return interpret_begin_call(c) &&
	       interpret_decode(c, starts ? ev->name : ev->text, &text) &&
	       (starts ? speech_name(c->speech, ev->block, text)
		       : speech_args(c->speech, ev->block, text)) &&
	       end_piece(c);
}

/* interpret_line: the first line of an escaped text, with its end. */
static struct str interpret_line(struct str escaped)
{
	for (size_t i = 0; i + 1 < escaped.n; i++)
		if (escaped.p[i] == '\\' && escaped.p[++i] == 'n')
			return (struct str){ escaped.p, i + 1 };
	return escaped;
}

/* interpret_said: the text is cut after code that runs: *ret is what is left.  A fence closes at the end of
 * its line. */
static bool interpret_said(struct run_computer *c, struct str escaped, struct str *ret)
{
	struct str text, line;

	*ret = (struct str){ escaped.p, 0 };
	if (!interpret_begin_call(c))
		return false;
	do {
		line = (struct str){ escaped.p + ret->n, escaped.n - ret->n };
		if (c->run->rq->manner.fence)
			line = interpret_line(line);
		if (!interpret_decode(c, line, &text) || !speech_text(c->speech, text))
			return false;
		ret->n += line.n;
	} while (ret->n < escaped.n && !c->cut);
	return end_piece(c);
}

static void interpret_fail(struct run *r)
{
	if (!r->aborting)
		run_abort_later(r, ERR_UPSTREAM_BAD_RESPONSE,
				"the answer is over the size that is kept, or memory is short");
}

/* interpret_pass: the event itself, for readers of OpenAI's shape and for the stored message. */
static void interpret_pass(struct run_computer *c, const struct event *ev)
{
	struct event said = {
		.kind = ev->kind,
		.choice = ev->choice,
		.block = ev->block,
		.text = ev->text,
		.id = ev->id,
		.name = ev->name,
		.from_lmc = true,
	};

	if (ev->kind == EVENT_TOOL_START || ev->kind == EVENT_TOOL_ARGS) {
		said.block += c->block_base;
		if (said.block >= c->blocks)
			c->blocks = said.block + 1;
	}
	computer_give(c->run, &said);
}

static void interpret_event(struct run *r, const struct event *ev);

static bool interpret_part(void *arg, const struct event *ev)
{
	struct run *r = arg;

	if (ev->kind != EVENT_FINISH && ev->kind != EVENT_USAGE && ev->kind != EVENT_START)
		interpret_event(r, ev);
	return !r->aborting;
}

/* hold_word: without the secrets that the provider may have put into it. */
static void hold_word(struct run_computer *c, struct str word, char *ret, size_t size)
{
	char text[LIMIT_MASK_TEXT];

	if (mask_text(c->run->provider->mask, word, text, sizeof text))
		word = str_of(text);
	if (word.n < size)
		str_copy(ret, size, word);
}

/* interpret_hold: the reason of a call's end is the client's only if the run ends with it. */
static void interpret_hold(struct run_computer *c, const struct event *ev)
{
	if (c->finish_reason[0])
		return;
	hold_word(c, ev->text, c->finish_reason, sizeof c->finish_reason);
	if (c->finish_reason[0])
		hold_word(c, ev->name, c->native_reason, sizeof c->native_reason);
}

static void interpret_event(struct run *r, const struct event *ev)
{
	struct run_computer *c = r->computer;
	struct usage         none = { 0 };
	struct event         part = *ev;

	if (r->aborting || ev->choice != 0 || ev->pass == PASS_PRINT ||
	    (c->cut && ev->kind != EVENT_USAGE))
		return;
	switch (ev->kind) {
	case EVENT_TEXT:
	case EVENT_REFUSAL:
		if (interpret_said(c, ev->text, &part.text))
			interpret_pass(c, &part);
		else
			interpret_fail(r);
		break;
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
		if (interpret_call(c, ev))
			interpret_pass(c, ev);
		else
			interpret_fail(r);
		break;
	case EVENT_REASONING:
	case EVENT_MEDIA: interpret_pass(c, ev); break;
	case EVENT_MESSAGE:
		if (!replay_answer(ev->text, STR_NONE, &none, interpret_part, r))
			interpret_fail(r);
		break;
	case EVENT_USAGE:
		keep_usage(r, &ev->usage);
		attempt_told(r, &ev->usage);
		break;
	case EVENT_FINISH: interpret_hold(c, ev); break;
	case EVENT_START:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_OTHER:
	case EVENT_LMC:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
}

static void interpret_flush(struct run *r)
{
	struct run_computer *c = r->computer;

	c->ending = true;
	/* A call that was cut has nothing after its code. */
	if (c->speech && !c->again && !c->cut && !(speech_close(c->speech) && end_piece(c)))
		interpret_fail(r);
	c->torn = c->speech && !c->cut && speech_cut(c->speech);
	c->ending = false;
	if (c->cut) {
		speech_destroy(c->speech);
		c->speech = NULL;
	}
	c->again = true;
	c->cut = false;
	c->block_base = c->blocks;
}

static bool interpret_wanted(const struct run *r)
{
	return r->computer;
}

const struct stage interpret_stage = {
	.name = "interpret",
	.wanted = interpret_wanted,
	.start = equip_start,
	.event = interpret_event,
	.flush = interpret_flush,
	.more = settle_goes_on,
	.pause = execute_pause,
	.logged = execute_recorded,
	.end = execute_cut,
	.touches_text = true,
};
