/* The assistant's code: what becomes of it, and when the model is asked again.
 *
 *   settle: the first code that waits
 *     html              shown to the user; the next one
 *     refused           its output says so; the next one
 *     needs an approval EVENT_FINISH, `confirmation`: the run ends
 *     no steps are left EVENT_FINISH, `max_steps`: the run ends
 *     unknown language  its output says which there are; the next one
 *     else              RECORDING, EXECUTING, and settle again
 *   none waits: the model is asked again */
#include "base/clock.h"
#include "base/hash.h"
#include "base/limits.h"
#include "lmc/text.h"
#include "run/computer.h"

#include <stdio.h>
#include <string.h>

bool settle_waits(const struct run *r)
{
	const struct run_computer *c = r->computer;

	return c->code_next < c->code_count || c->ran;
}

bool settle_chose(const struct run *r)
{
	return r->computer->chose;
}

/* settle_finish: how the run ends, for its client. */
static void settle_finish(struct run *r, const char *reason)
{
	struct run_computer *c = r->computer;
	struct usage         own = r->kept.usage;
	struct usage         sum = bill_used(r, r->kept.usage.known ? &own : NULL);

	computer_give(r, &(struct event){ .kind = EVENT_FINISH,
					  .text = str_of(reason),
					  .name = str_of(c->native_reason) });
	if (sum.known || sum.estimated)
		computer_give(r, &(struct event){ .kind = EVENT_USAGE, .usage = sum });
	keep_usage(r, &own);
}

/* settle_confirm: the whole code once more, before its execution or the wait for an approval. */
static bool settle_confirm(struct run_computer *c, const struct run_code *code)
{
	buf_clear(&c->chunk);
	if (!buf_text(&c->chunk, "{\"role\":\"computer\",\"type\":\"confirmation\",\"format\":"
				 "\"execution\",\"content\":{\"type\":\"code\",\"format\":") ||
	    !text_quote(&c->chunk, buf_view(&code->language)) ||
	    !buf_text(&c->chunk, ",\"content\":") ||
	    !text_quote(&c->chunk, buf_view(&code->text)) || !buf_text(&c->chunk, "}}"))
		return false;
	computer_say(c->run, buf_view(&c->chunk));
	return true;
}

static void settle_on_next(struct task *t)
{
	struct run_computer *c = container_of(t, struct run_computer, next_task);
	struct run          *r = c->run;

	run_release(r);
	if (r->state >= STATE_CALLING && r->state <= STATE_EXECUTING)
		step_again(r);
	else
		run_free_if_over(r);
}

void settle_later(struct run *r)
{
	run_hold(r);
	r->computer->next_task.fn = settle_on_next;
	loop_later(run_loop(r), &r->computer->next_task);
}

/* An end of the run is told by one of these; NULL: it goes on. */
static const char *const torn_reasons[] = { "length", "content_filter", "error" };

/* is_torn: the code of this call may lack its end. */
static bool is_torn(const struct run_computer *c)
{
	bool torn = c->torn;

	for (size_t i = 0; i < ARRAY_LEN(torn_reasons); i++)
		torn |= strcmp(c->finish_reason, torn_reasons[i]) == 0;
	/* Calls of other functions are the client's to answer, and so all calls beside them. */
	for (size_t i = c->code_next; i < c->code_count; i++)
		torn |= c->codes[i].foreign;
	return torn;
}

/* settle_refuse: code in a language that there is not.  The same code once more ends the run. */
static const char *settle_refuse(struct run_computer *c, const struct run_code *code)
{
	unsigned char digest[HASH_BYTES];
	uint64_t      mark;
	struct buf    text;
	struct str    language = buf_view(&code->language);

	hash_sha256(code->text.data ? code->text.data : "", code->text.len, digest);
	memcpy(&mark, digest, sizeof mark);
	if (mark == c->unavailable)
		return "tool_calls";
	c->unavailable = mark;
	buf_init(&text, 8 * KIB);
	language.n = text_whole((struct str){ language.p, language.n < 80 ? language.n : 80 });
	if (buf_text(&text, "`") && buf_str(&text, language) &&
	    buf_text(&text, "` disabled or not supported; there are: ") &&
	    computer_put_languages(c, "", &text) && buf_text(&text, "\n"))
		output_text(c->run, buf_view(&text));
	buf_finish(&text);
	c->code_next++;
	return NULL;
}

/* settle_resolve: what becomes of the first code that waits.  Returns the reason with which the run ends;
 * NULL: the code is over, or it is chosen. */
static const char *settle_resolve(struct run_computer *c)
{
	struct run                  *r = c->run;
	const struct call_computing *q = r->rq->manner.computing;
	struct run_code             *code = &c->codes[c->code_next];
	bool                         approved = c->approved;
	char                         text[LIMIT_COMPUTER_REASON + 100];

	if (c->refused) {
		snprintf(text, sizeof text, "The user did not allow this code%s%.*s",
			 q->reason.n > 0 ? ": " : ".", STR_ARG(q->reason));
		output_text(r, str_of(text));
		c->refused = false;
		c->ran = true;
		c->code_next++;
		return NULL;
	}
	if (!approved && str_is(buf_view(&code->language), "html")) {
		if (c->steps >= q->max_steps)
			return "max_steps";
		c->steps++;
		output_show(r, buf_view(&code->text));
		c->ran = true;
		c->code_next++;
		return NULL;
	}
	if (q->ask && !approved && computer_allows(c, buf_view(&code->language), c->chosen))
		return settle_confirm(c, code) ? "confirmation" : "error";
	if (c->steps >= q->max_steps)
		return "max_steps";
	if (!approved && !q->ask && !settle_confirm(c, code))
		return "error";
	c->approved = false;
	c->steps++;
	c->ran = true;
	if (computer_allows(c, buf_view(&code->language), c->chosen)) {
		c->chose = true;
		return NULL;
	}
	return settle_refuse(c, code);
}

/* settle_next: decides of all code that waits, up to the first that is chosen.  Returns the reason with which
 * the run ends; NULL: it goes on. */
static const char *settle_next(struct run_computer *c)
{
	const char *reason = NULL;

	while (!reason && !c->chose && c->code_next < c->code_count && !c->run->aborting)
		reason = settle_resolve(c);
	if (!reason && !c->chose && c->steps >= c->run->rq->manner.computing->max_steps)
		reason = "max_steps";
	return reason;
}

enum step_next settle_start(struct run *r, struct err *e)
{
	struct run_computer *c = r->computer;

	(void)e;
	if (!timer_running(&c->total))
		timer_start(run_loop(r), &c->total, (int64_t)LIMIT_COMPUTER_SECONDS * 1000000);
	if (r->attempt.count == 0)
		call_begun(r);
	commit_open(r);
	const char *reason = settle_next(c);
	if (reason)
		settle_finish(r, reason);
	if (r->aborting) /* the run ends in the next turn of the loop */
		return STEP_PARKED;
	if (reason) {
		call_complete(r);
		return STEP_DONE;
	}
	if (c->chose)
		return STEP_MORE;
	c->ran = false;
	computer_forget_codes(c);
	call_prompt_again(r);
	return STEP_MORE;
}

bool settle_goes_on(struct run *r)
{
	struct run_computer *c = r->computer;

	if (is_torn(c))
		computer_forget_codes(c);
	if (c->code_next == c->code_count) {
		settle_finish(r, c->finish_reason);
		return false;
	}
	attempt_step(r);
	computer_give(r, &(struct event){ .kind = EVENT_STEP });
	c->finish_reason[0] = '\0';
	run_stages_news(r, false); /* goes to the store with the record of the execution */
	settle_later(r);
	return true;
}
