/* OpenAI's reasoning_effort as the thinking of Anthropic's models.
 *
 * Older models are given a budget of tokens; newer ones decide themselves how much they think, and an effort guides
 * them.  Sources: Anthropic's pages "Thinking", "Effort" and "What's new" of each model, and Amazon's user guide,
 * "Adaptive thinking", 2026-11. */
#include "provider/anthropic/anthropic.h"

#include "lmc/warnings.h"
#include "provider/ask_param.h"

#include <stdio.h>
#include <string.h>

static const struct effort {
	const char *word;  /* OpenAI's */
	const char *level; /* Anthropic's */
	int         budget;
} efforts[] = {
	{ "none", NULL, 0 },          { "minimal", "low", 1024 }, { "low", "low", 2048 },
	{ "medium", "medium", 8192 }, { "high", "high", 24576 },  { "xhigh", "xhigh", 32000 },
	{ "max", "max", 32000 },
};

/* The thinking of a model to which a request says nothing of it. */
enum habit { HABIT_OFF, HABIT_ON, HABIT_ALWAYS };

/* A model whose name has `of`.  The first row that fits counts; other models are taken for new ones. */
static const struct thinker {
	const char *of;
	bool        budget;
	bool        xhigh;
	enum habit  habit;
} thinkers[] = {
	{ "claude-3-", true, false, HABIT_OFF },
	{ "claude-opus-4-6", false, false, HABIT_OFF },
	{ "claude-sonnet-4-6", false, false, HABIT_OFF },
	{ "claude-opus-4-7", false, true, HABIT_OFF },
	{ "claude-opus-4-8", false, true, HABIT_OFF },
	{ "claude-opus-4", true, false, HABIT_OFF },
	{ "claude-sonnet-4", true, false, HABIT_OFF },
	{ "claude-haiku-4", true, false, HABIT_OFF },
	{ "claude-opus-5-5", false, true, HABIT_ALWAYS },
	{ "claude-opus-5", false, true, HABIT_ON },
	{ "claude-fable-", false, true, HABIT_ALWAYS },
	{ "claude-mythos-", false, true, HABIT_ALWAYS },
	{ "", false, true, HABIT_OFF },
};

static const struct thinker *effort_thinker(struct str model)
{
	const struct thinker *t = thinkers;

	while (t->of[0] && !(model.n > 0 && memmem(model.p, model.n, t->of, strlen(t->of))))
		t++;
	return t;
}

static void effort_clamped(const struct prompt *p, const char *asked, const char *sent)
{
	warnings_add(p->warnings, 0, "parameter_clamped",
		     "reasoning_effort: this model has no \"%s\"; %s was sent", asked, sent);
}

/* effort_end: the request is to be answered without thinking. */
static void effort_end(const struct prompt *p, const struct thinker *t,
		       struct anthropic_effort *ret)
{
	if (t->habit == HABIT_ALWAYS)
		effort_clamped(p, "none", "nothing");
	else if (t->habit == HABIT_ON)
		ret->thinking = "{\"type\":\"disabled\"}";
}

static void effort_begin(const struct prompt *p, const struct thinker *t, const struct effort *f,
			 struct anthropic_effort *ret)
{
	const char *level = t->xhigh || strcmp(f->level, "xhigh") != 0 ? f->level : "high";

	if (t->budget) {
		snprintf(ret->scratch, sizeof ret->scratch,
			 "{\"type\":\"enabled\",\"budget_tokens\":%d}", f->budget);
		ret->thinking = ret->scratch;
		return;
	}
	if (strcmp(level, f->word) != 0)
		effort_clamped(p, f->word, level);
	/* Newer models leave out the text of their thoughts unless it is asked for. */
	ret->thinking = "{\"type\":\"adaptive\",\"display\":\"summarized\"}";
	ret->level = level;
}

enum errc anthropic_effort_read(const struct prompt *p, struct anthropic_effort *ret, struct err *e)
{
	const struct thinker *t = effort_thinker(p->model);
	struct str            value = ask_param_value(p, "reasoning_effort");
	size_t                i = 0;

	ret->thinking = ret->level = NULL;
	if (value.n == 0)
		return ERR_OK;
	if (ask_param_value(p, "thinking").n > 0) {
		ask_param_unsent(p, "reasoning_effort", "thinking");
		return ERR_OK;
	}
	if (value.n > 2 && value.p[0] == '"')
		value = (struct str){ value.p + 1, value.n - 2 };
	while (i < ARRAY_LEN(efforts) && !str_is(value, efforts[i].word))
		i++;
	if (i == ARRAY_LEN(efforts))
		return err_set(e, ERR_INVALID_VALUE, "reasoning_effort",
			       "must be none, minimal, low, medium, high, xhigh or max");
	if (i == 0)
		effort_end(p, t, ret);
	else if (p->reasons)
		effort_begin(p, t, &efforts[i], ret);
	else
		warnings_add(
			p->warnings, 0, "parameter_dropped",
			"reasoning_effort was not sent: the model's entry does not say that it "
			"reasons");
	return ERR_OK;
}
