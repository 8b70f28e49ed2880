/* The parts of a run with a computer: its memory, the languages that its request allows, and what its
 * calls have used and said so far. */
#include "run/computer.h"

#include "base/limits.h"
#include "computer/link.h"

#include <stdlib.h>
#include <string.h>

/* --- birth and death --- */

static void computer_on_total(struct timer *t)
{
	struct run_computer *c = container_of(t, struct run_computer, total);
	struct err           e;

	err_set(&e, ERR_TOTAL_TIMEOUT, "",
		"the run has executed code for %d minutes, the most there are",
		LIMIT_COMPUTER_SECONDS / 60);
	run_finish(c->run, &e);
}

struct run_computer *computer_create(struct run *r)
{
	struct run_computer *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->run = r;
	c->approved = r->rq->manner.computing->approve;
	c->refused = r->rq->manner.computing->refuse;
	c->total.fn = computer_on_total;
	warnings_init(&c->later);
	buf_init(&c->head, LIMIT_SSE_EVENT);
	buf_init(&c->chunk, LIMIT_ANSWER);
	buf_init(&c->decoded, LIMIT_ANSWER);
	languages_init(&c->languages);
	buf_init(&c->out, LIMIT_SSE_EVENT);
	buf_init(&c->picture, LIMIT_RUNNER_IMAGE);
	buf_init(&c->list, MIB);
	return c;
}

bool computer_stop(struct run *r, const struct run_ending *x)
{
	struct run_computer *c = r->computer;

	(void)x;
	if (!c)
		return false;
	timer_stop(run_loop(r), &c->look);
	timer_stop(run_loop(r), &c->total);
	link_close(TAKE(c->link));
	if (!run_stored(r) && c->execution_count > 0)
		forget_session(r);
	return false;
}

void computer_forget_last(struct run_computer *c)
{
	struct run_code *code = &c->codes[--c->code_count];

	buf_finish(&code->language);
	buf_finish(&code->text);
}

void computer_forget_codes(struct run_computer *c)
{
	while (c->code_count > 0)
		computer_forget_last(c);
	c->code_next = 0;
}

void computer_destroy(struct run_computer *c)
{
	if (!c)
		return;
	computer_forget_codes(c);
	free(c->codes);
	free(c->executions);
	link_close(c->link);
	gather_drop(c);
	speech_destroy(c->speech);
	warnings_finish(&c->later);
	buf_finish(&c->head);
	buf_finish(&c->chunk);
	buf_finish(&c->decoded);
	languages_finish(&c->languages);
	buf_finish(&c->out);
	buf_finish(&c->picture);
	buf_finish(&c->list);
	free(c);
}

void computer_free(struct run *r)
{
	computer_destroy(TAKE(r->computer));
}

bool computer_code(struct run_computer *c, struct str language, struct str text, bool foreign)
{
	struct run_code *codes = realloc(c->codes, (c->code_count + 1) * sizeof *codes);

	if (!codes)
		return false;
	c->codes = codes;
	struct run_code *code = &codes[c->code_count++];
	*code = (struct run_code){ .foreign = foreign };
	buf_init(&code->language, LIMIT_ANSWER);
	buf_init(&code->text, LIMIT_ANSWER);
	return buf_str(&code->language, language) && buf_str(&code->text, text);
}

/* --- what it says --- */

void computer_give(struct run *r, const struct event *ev)
{
	if (!r->aborting)
		run_pass(r, STAGE_INTERPRET, ev);
}

void computer_say(struct run *r, struct str chunk)
{
	computer_give(r, &(struct event){ .kind = EVENT_LMC, .text = chunk, .from_lmc = true });
}

/* --- languages --- */

bool computer_allows(const struct run_computer *c, struct str language, char ret[LANGUAGES_NAME])
{
	const struct call_computing *q = c->run->rq->manner.computing;
	char                         name[LANGUAGES_NAME];

	if (!languages_know(&c->languages, language, ret))
		return false;
	for (size_t i = 0; i < q->language_count; i++)
		if (languages_know(&c->languages, q->languages[i], name) && strcmp(name, ret) == 0)
			return true;
	return q->language_count == 0;
}

bool computer_put_languages(const struct run_computer *c, const char *quote, struct buf *out)
{
	struct str  rest = languages_all(&c->languages);
	const char *between = "";
	struct str  one;
	char        name[LANGUAGES_NAME];

	while (languages_next(&rest, &one)) {
		if (!computer_allows(c, one, name))
			continue;
		if (!buf_text(out, between) || !buf_text(out, quote) || !buf_str(out, one) ||
		    !buf_text(out, quote))
			return false;
		between = ", ";
	}
	return true;
}
