/* An answer that breaks off goes on at another target, where the model's entry or the request says so.
 *
 *   first attempt --breaks off--> budget for one more --> another target --> the rest of the answer
 *                                                              |
 *                                                              +--fails: the first error, and the text stays
 *
 * The other target is sent the text so far: as the last message, an assistant's, where it goes on with
 * such a message (prefill); else with a line after it that asks to go on.  Models repeat some of what they
 * go on with: where the new text begins with at least REPEAT_LEAST characters that the old one ends with,
 * they are left out.  Clients see one answer: events count on, and EVENT_RESUMED stands between.
 *
 * A run that is taken up after the death of its gateway (core/restart) begins between the two.
 *
 * It can't go on where something of the answer can't be unsaid or sent again: a tool call, an image, a
 * refusal, a block or an item that only its provider can fill, passed on as it came.  Both attempts are
 * charged. */
#include "base/limits.h"
#include "base/metric.h"
#include "base/money.h"
#include "json/member.h"
#include "json/scan.h"
#include "lmc/text.h"
#include "run/internal.h"
#include "shape/gemini_pass.h"
#include "shape/response.h"
#include "store/store.h"

enum {
	REPEAT_LEAST = 12,  /* characters; fewer may be chance */
	LIMIT_LEAST = 16,   /* tokens; some providers refuse less */
	REPEAT_MOST = 1024, /* bytes */
};

struct resume {
	struct run           *run;
	struct budget_reserve reserve;
	struct buf            text;     /* the first attempt's, escaped as it came */
	struct buf            before;   /* the same, decoded, once it has broken off */
	struct buf            held;     /* the beginning of the second attempt's text, likewise */
	struct buf            begun;    /* held, decoded */
	const struct str     *messages; /* the prompt's, without what this file adds */
	size_t                message_count;
	struct str            limit;  /* the prompt's own max_tokens */
	int64_t               weight; /* bytes that the first attempt has said */
	size_t   unsent;  /* white space at the end of `before` that the target was not sent */
	unsigned items;   /* open ones of the Responses API, whose events are passed on */
	bool     said;    /* text or reasoning */
	bool     closed;  /* it can't go on any more */
	bool     told;    /* so were those who read the answer */
	bool     on;      /* it goes on: a second attempt is made, or will be */
	bool     matched; /* the repeated beginning was left out */
	bool     ended;   /* so has the run */
};

static bool resume_wanted(const struct run *r)
{
	return r->given.resumes;
}

static struct resume *resume_of(struct run *r)
{
	struct resume *s = run_stage_own(r, STAGE_RESUME, sizeof *s);

	if (s && !s->run) {
		s->run = r;
		buf_init(&s->text, LIMIT_ANSWER);
		buf_init(&s->before, LIMIT_ANSWER);
		buf_init(&s->held, LIMIT_ANSWER);
		buf_init(&s->begun, LIMIT_ANSWER);
	}
	return s;
}

static void resume_drop(void *own)
{
	struct resume *s = own;

	buf_finish(&s->text);
	buf_finish(&s->before);
	buf_finish(&s->held);
	buf_finish(&s->begun);
}

/* --- the first attempt --- */

/* ends_or_opens: whether an Anthropic provider's own object ends the message, or opens a block that only this
 * provider can fill. */
static bool ends_or_opens(struct str raw)
{
	struct json_doc doc = { 0 };
	struct err      e;
	bool            binds = true;

	if (json_scan(&doc, raw.p, raw.n, &json_limits_upstream, &e) == ERR_OK) {
		json_at block = json_get(&doc, 0, "content_block");

		binds = json_get_is(&doc, 0, "type", "message_delta") ||
			(json_is_kind(&doc, block, JSON_OBJECT) &&
			 !json_get_is(&doc, block, "type", "text") &&
			 !json_get_is(&doc, block, "type", "thinking") &&
			 !json_get_is(&doc, block, "type", "redacted_thinking"));
	}
	json_doc_finish(&doc);
	return binds;
}

/* passes_bound: whether the client gets the provider's own bytes of something that can't be gone on with. */
static bool passes_bound(const struct run *r, struct resume *s, const struct event *ev)
{
	if (ev->raw.n == 0 || !(r->feed.reader.encoder->raws & 1u << ev->form))
		return false;
	switch (ev->form) {
	case RAW_OPENAI: break;
	case RAW_ANTHROPIC:
		return ev->kind != EVENT_TEXT && ev->kind != EVENT_REASONING &&
		       ends_or_opens(ev->raw);
	case RAW_RESPONSES: return response_join_binds(ev->raw, &s->items);
	case RAW_GEMINI: return gemini_pass_binds(ev->raw);
	}
	return false;
}

static bool closes_answer(const struct run *r, struct resume *s, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_MEDIA:
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_FINISH: return true;
	case EVENT_START:
	case EVENT_TEXT:
	case EVENT_REASONING:
	case EVENT_OTHER:
	case EVENT_BLOCK_END:
	case EVENT_ASKED:
	case EVENT_USAGE:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	return ev->choice > 0 || passes_bound(r, s, ev);
}

/* note_event: without memory for the text, the answer can't go on; that is no reason to end it. */
static void note_event(struct run *r, struct resume *s, const struct event *ev)
{
	if (ev->pass == PASS_PRINT || s->closed)
		return;
	if (ev->kind == EVENT_START &&
	    !s->said) { /* nobody has seen anything of the attempt before */
		s->items = 0;
		s->weight = 0;
	}
	s->closed =
		closes_answer(r, s, ev) || (ev->kind == EVENT_TEXT && !buf_str(&s->text, ev->text));
	s->weight += event_weight(ev);
	s->said |= !s->closed && (ev->kind == EVENT_TEXT || ev->kind == EVENT_REASONING) &&
		   ev->text.n > 0;
	if (!s->closed)
		return;
	buf_finish(&s->text);
	if (r->committed)
		run_drop_request(r);
}

void resume_again(struct run *r, const struct event *ev)
{
	struct resume *s = resume_of(r);

	if (s)
		note_event(r, s, ev);
}

/* --- the second attempt --- */

static size_t resume_count_characters(struct str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return n;
}

/* ends_in_half: whether text ends in the first half of a surrogate pair, as three bytes. */
static bool ends_in_half(struct str text)
{
	if (text.n < 3)
		return false;

	const unsigned char *p = (const unsigned char *)text.p + text.n - 3;
	return p[0] == 0xed && p[1] >= 0xa0 && p[1] <= 0xaf;
}

/* trim_half: no request may have half a character; its client has it. */
static void trim_half(struct buf *text)
{
	if (ends_in_half(buf_view(text)))
		text->len -= 3;
}

/* find_unsent: the same of white space that the model was not shown, and so may say itself. */
static bool find_unsent(struct str before, size_t unsent, struct str begun, bool last, size_t *ret)
{
	size_t n = unsent < begun.n ? unsent : begun.n;

	if (n == 0 || memcmp(before.p + before.n - unsent, begun.p, n) != 0)
		return true;
	if (n == unsent)
		*ret = n;
	return n == unsent || last;
}

/* find_repeated: *ret: the bytes at the beginning of `begun` with which `before` ends.  False: more of it
 * must come to tell. */
static bool find_repeated(struct str before, size_t unsent, struct str begun, bool last,
			  size_t *ret)
{
	size_t most = before.n < REPEAT_MOST ? before.n : REPEAT_MOST;

	*ret = 0;
	for (size_t k = most; k > 0; k--) {
		const char *tail = before.p + before.n - k;
		size_t      n = k < begun.n ? k : begun.n;

		if (((unsigned char)*tail & 0xc0) == 0x80 || memcmp(tail, begun.p, n) != 0)
			continue;
		if (n < k && !last)
			return false;
		if (n == k && resume_count_characters((struct str){ tail, k }) >= REPEAT_LEAST) {
			*ret = k;
			return true;
		}
	}
	return find_unsent(before, unsent, begun, last, ret);
}

/* escaped_length: the bytes of escaped text that decode to the first n bytes. */
static size_t escaped_length(struct str escaped, size_t n, struct buf *scratch)
{
	size_t at = 0;

	buf_clear(scratch);
	while (at < escaped.n && scratch->len < n) {
		size_t unit = json_unit(escaped, at).bytes;

		if (!text_add(scratch, (struct str){ escaped.p + at, unit }))
			break;
		at += unit;
	}
	return at;
}

/* tell_resumed: says where the answer goes on, before it does: what was billed before stands before it in the
 * log.  It commits no attempt. */
static void tell_resumed(struct run *r, const struct resume *s)
{
	char       name[8 * sizeof r->provider->label];
	struct buf escaped;
	size_t     characters = resume_count_characters(buf_view(&s->before));

	buf_init(&escaped, sizeof name);
	if (text_put(&escaped, str_of(r->attempt.target.provider->label)))
		run_pass(r, STAGE_COMMIT,
			 &(struct event){ .kind = EVENT_RESUMED,
					  .id = buf_view(&escaped),
					  .block = characters < UINT32_MAX ? (uint32_t)characters
									   : UINT32_MAX });
	buf_finish(&escaped);
}

/* release_text: passes on what was held, without what it repeats.  last: nothing follows. */
static void release_text(struct run *r, struct resume *s, bool last)
{
	size_t repeated;

	if (s->matched || s->held.len == 0)
		return;
	buf_clear(&s->begun);
	if (!text_add(&s->begun, buf_view(&s->held))) {
		run_overflow(r);
		return;
	}
	if (!last && ends_in_half(buf_view(&s->begun)))
		return;
	if (!find_repeated(buf_view(&s->before), s->unsent, buf_view(&s->begun), last, &repeated))
		return;
	s->matched = true;
	size_t     cut = escaped_length(buf_view(&s->held), repeated, &s->begun);
	struct str rest = { s->held.data + cut, s->held.len - cut };
	if (rest.n > 0 && !r->aborting)
		run_pass(r, STAGE_RESUME, &(struct event){ .kind = EVENT_TEXT, .text = rest });
	buf_finish(&s->held);
}

/* join_event: an event of the second attempt, made into one of the answer that goes on. */
static void join_event(struct run *r, struct resume *s, const struct event *ev)
{
	struct event bare = *ev;

	if (ev->pass == PASS_PRINT)
		return;
	bare.pass = PASS_ONLY;
	bare.give = NULL;
	bare.cont = false;
	bare.raw = bare.raw_usage = bare.raw_role = bare.raw_id = bare.raw_created = STR_NONE;
	bare.raw_only_usage = false;
	switch (ev->kind) {
	case EVENT_TEXT:
		if (s->matched) {
			run_pass(r, STAGE_RESUME, &bare);
			return;
		}
		if (!buf_str(&s->held, ev->text))
			run_overflow(r);
		else
			release_text(r, s, false);
		return;
	case EVENT_REASONING: /* has no place after text */
		if (s->before.len > 0)
			return;
		break;
	case EVENT_START:
	case EVENT_OTHER: return;
	case EVENT_USAGE: break;
	case EVENT_FINISH:
	case EVENT_REFUSAL:
	case EVENT_TOOL_START:
	case EVENT_TOOL_ARGS:
	case EVENT_BLOCK_END:
	case EVENT_MEDIA: release_text(r, s, true); break;
	case EVENT_MESSAGE:
	case EVENT_LMC:
	case EVENT_ASKED:
	case EVENT_ERROR:
	case EVENT_END:
	case EVENT_STEP:
	case EVENT_EXECUTE:
	case EVENT_EXECUTED:
	case EVENT_RESUMED:
	case EVENT__COUNT: break;
	}
	if (!r->aborting)
		run_pass(r, STAGE_RESUME, &bare);
}

static void resume_event(struct run *r, const struct event *ev)
{
	struct resume *s = resume_of(r);

	if (!s) {
		run_overflow(r);
	} else if (s->on) {
		join_event(r, s, ev);
	} else {
		note_event(r, s, ev);
		run_pass(r, STAGE_RESUME, ev);
	}
}

static void resume_flush(struct run *r)
{
	struct resume *s = resume_of(r);

	if (!s || !s->on)
		return;
	release_text(r, s, true);
}

static void resume_end(struct run *r, const struct err *e)
{
	struct resume *s = resume_of(r);

	/* An end that has to wait comes once more. */
	if (s && s->on && !s->ended)
		metric_add(METRIC_RESUMED,
			   (const char *[]){ r->provider->name, e ? err_code_wire(e->code) : "ok",
					     "" },
			   1);
	if (s)
		s->ended = true;
}

/* --- between the two --- */

/* wants_json: whether the answer has to have a form that a model can't go on with in the middle, unless
 * the beginning is its own. */
static bool wants_json(const struct prompt *p)
{
	for (size_t i = 0; i < p->member_count; i++)
		if (json_member_is(p->members[i], STR("response_format")) &&
		    memmem(p->members[i].p, p->members[i].n, "json", 4))
			return true;
	return false;
}

bool resume_refuses(const struct run *r, const struct target *t)
{
	return r->attempt.resumed && wants_json(&r->rq->what.prompt) && !registry_prefills(t);
}

/* resume_has_thinking: whether the request says how many of its tokens are for thinking, which must be less than all. */
static bool resume_has_thinking(const struct prompt *p)
{
	static const char word[] = "\"budget_tokens\"";

	for (size_t i = 0; i < p->member_count; i++)
		if (memmem(p->members[i].p, p->members[i].n, word, sizeof word - 1))
			return true;
	return false;
}

/* take_off_limit: the request's max_tokens holds for both attempts together; about as many tokens were said. */
static enum errc take_off_limit(struct run *r, struct resume *s, struct err *e)
{
	struct prompt *p = &r->rq->what.prompt;
	int64_t        left = 0;
	char           digits[DECIMAL_MAX];

	for (size_t i = 0; i < s->limit.n; i++) {
		char c = s->limit.p[i];

		if (c < '0' || c > '9' || left > PRICE_TOKENS)
			return ERR_OK;
		left = 10 * left + (c - '0');
	}
	if (s->limit.n == 0 || resume_has_thinking(p))
		return ERR_OK;
	int64_t most = left;
	left -= usage_guess(0, s->weight).out;
	if (left < LIMIT_LEAST)
		left = most < LIMIT_LEAST ? most : LIMIT_LEAST;
	p->max_tokens = arena_str(&r->rq->input->arena, decimal_int(left, digits));
	return p->max_tokens.p ? ERR_OK : err_no_memory(e);
}

/* text_to_send: a model that goes on with its own message is sent no white space at its end, which some refuse. */
static struct str text_to_send(struct run *r, struct resume *s)
{
	struct str all = buf_view(&s->before);
	struct str sent = all;

	while (registry_prefills(&r->attempt.target) && sent.n > 0 &&
	       memchr(" \t\r\n", sent.p[sent.n - 1], 4))
		sent.n--;
	if (sent.n == 0)
		sent = all;
	s->unsent = all.n - sent.n;
	return sent;
}

/* The line that POST /v1/runs/{id}/continue adds, too. */
static enum errc resume_asks(struct run *r, struct err *e)
{
	struct resume *s = resume_of(r);
	struct prompt *p = &r->rq->what.prompt;
	struct buf     made;

	if (!s)
		return err_no_memory(e);
	if (!s->on)
		return ERR_OK;
	if (r->given.restarted && !s->told && prompt_ends_in_answer(r))
		return err_set(e, ERR_NOT_CONTINUABLE, "", "the request ends in an answer");
	if (!s->told)
		s->limit = p->max_tokens;
	s->told = true;
	/* An attempt between the two may have left some text, or only have repeated what there is. */
	buf_clear(&s->held);
	s->matched = false;
	p->warnings = NULL;
	tell_resumed(r, s);
	if (take_off_limit(r, s, e) != ERR_OK)
		return e->code;
	if (s->before.len == 0)
		return ERR_OK;
	if (!s->messages) {
		s->messages = p->messages;
		s->message_count = p->message_count;
		r->bill.in += (int64_t)(s->before.len + prompt_go_on.n);
	}
	struct arena *memory = &r->rq->input->arena;
	struct str   *list = arena_alloc(memory, (s->message_count + 2) * sizeof *list);
	size_t        n = s->message_count;
	if (!list)
		return err_no_memory(e);
	if (n > 0)
		memcpy(list, s->messages, n * sizeof *list);
	buf_init(&made, 2 * LIMIT_ANSWER);
	bool ok = buf_text(&made, "{\"role\":\"assistant\",\"content\":") &&
		  buf_json_string(&made, text_to_send(r, s)) && buf_text(&made, "}") &&
		  (list[n++] = arena_str(memory, buf_view(&made))).p;
	buf_finish(&made);
	if (!ok)
		return err_no_memory(e);
	if (!registry_prefills(&r->attempt.target))
		list[n++] = prompt_go_on;
	p->messages = list;
	p->message_count = n;
	p->origins = NULL; /* no error names the client's messages any more */
	p->native = NULL;
	p->items = NULL;
	return ERR_OK;
}

static bool resume_breaks(const struct err *e)
{
	switch ((int)e->code) {
	case ERR_STREAM_INCOMPLETE:
	case ERR_UPSTREAM_BAD_RESPONSE:
	case ERR_UPSTREAM_ERROR:
	case ERR_UPSTREAM_UNAVAILABLE:
	case ERR_UPSTREAM_RATE_LIMIT:
	case ERR_IDLE_TIMEOUT: return true;
	}
	return false;
}

static void resume_on_reserved(struct store_job *job)
{
	struct resume *s = container_of(job, struct resume, reserve.job);
	struct run    *r = s->run;
	enum errc      code = job->err.code;

	run_release(r);
	if (!run_called(r)) {
		run_free_if_over(r);
		return;
	}
	if (code == ERR_OK) {
		budget_more_given(r);
		attempt_go_on(r);
		return;
	}
	struct err e = *r->attempt.last;
	run_finish(r, &e);
}

/* resume_pay: the budget for the second attempt, before it is made; true: it is there, or is asked for. */
static bool resume_pay(struct run *r, struct resume *s)
{
	if (!r->bill.reserved) {
		attempt_go_on(r);
		return true;
	}
	budget_more_of(r, (int64_t)s->before.len, &s->reserve);
	s->reserve.job.done = resume_on_reserved;
	run_hold(r);
	if (store_budget_reserve(r->engine->o.store, &s->reserve))
		return true;
	run_release(r);
	return false;
}

static bool resume_can(const struct run *r, const struct resume *s, const struct err *e)
{
	return s && !s->on && s->said && !s->closed && r->rq && resume_breaks(e) &&
	       !r->rq->what.untranslated && !prompt_ends_in_answer(r) && attempt_others(r);
}

static bool resume_goes_on(struct run *r, const struct err *e)
{
	struct resume *s = resume_of(r);

	if (!resume_can(r, s, e) || !text_add(&s->before, buf_view(&s->text)))
		return false;
	s->on = true;
	buf_finish(&s->text);
	trim_half(&s->before);
	attempt_break(r, e);
	return resume_pay(r, s);
}

bool resume_take_up(struct run *r)
{
	struct resume *s = resume_of(r);

	if (!s || s->closed || !text_add(&s->before, buf_view(&s->text)))
		return false;
	s->on = true;
	buf_finish(&s->text);
	trim_half(&s->before);
	r->attempt.resumed = true;
	return true;
}

const struct stage resume_stage = {
	.name = "resume",
	.wanted = resume_wanted,
	.asks = resume_asks,
	.goes_on = resume_goes_on,
	.event = resume_event,
	.flush = resume_flush,
	.end = resume_end,
	.drop = resume_drop,
};
