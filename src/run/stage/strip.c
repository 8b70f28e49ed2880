/* Where a stage changes text, the provider's own bytes would go around the change: they are taken out
 * of each event first.  These are raw with its spans, the items of OpenAI's Responses API, and the
 * other answers of a call that asks for several and is no stream, which events do not have: such a
 * call is refused.  An embedding has no text. */
#include "base/limits.h"
#include "run/internal.h"
#include "shape/carry.h"

static bool is_touched(const struct run *r, const struct stage *s)
{
	return !s->wanted || s->wanted(r);
}

static bool strip_wanted(const struct run *r)
{
	unsigned left = r->engine->stages_with[STAGE_PART_TOUCHES];
	/* A client that must not see the thoughts gets none of the provider's own words. */
	bool wanted = prompt_is_native(&r->rq->what.prompt, PROVIDER_GEMINI) &&
		      r->engine->o.settings(r->engine->o.arg)->reasoning == REASONING_NONE;

	for (; left && !wanted; left &= left - 1)
		wanted = is_touched(r, run_stages[stage_lowest(left)]);
	return wanted && !r->given.embed;
}

static enum step_next strip_start(struct run *r, struct err *e)
{
	const struct prompt *p = &r->rq->what.prompt;
	bool                 gemini = prompt_is_native(p, PROVIDER_GEMINI);
	int64_t              n;

	if ((r->given.stream && !gemini) || !budget_answers(p, &n) || n == 1)
		return STEP_MORE;
	err_set(e, ERR_NOT_SUPPORTED_YET, gemini ? "generationConfig.candidateCount" : "n",
		"several answers are not supported yet where the gateway changes their text%s",
		gemini ? "" : "; ask for a stream");
	return STEP_FAILED;
}

/* strip_message: a message without the items that it was made of. */
static void strip_message(struct run *r, struct event *bare)
{
	struct arena arena;
	struct str   whole = bare->text;
	struct str   items;
	struct err   e;

	arena_init(&arena, LIMIT_UPSTREAM_BODY);
	if (raw_items_take(whole, &arena, &bare->text, &items, &e) == ERR_OK) {
		if (bare->text.p != whole.p)
			bare->give = NULL;
		run_pass(r, STAGE_STRIP, bare);
	} else {
		run_abort_later(r, e.code, e.text);
	}
	arena_finish(&arena);
}

static void strip_event(struct run *r, const struct event *ev)
{
	struct event bare = *ev;

	if (ev->raw.n > 0)
		bare.give = NULL; /* it begins with raw */
	bare.raw = bare.raw_usage = bare.raw_role = bare.raw_id = bare.raw_created = STR_NONE;
	bare.raw_only_usage = false;
	bare.cont = false;
	if (ev->kind == EVENT_OTHER)
		bare.text = STR_NONE;
	if (ev->kind == EVENT_MESSAGE)
		strip_message(r, &bare);
	else if (ev->kind != EVENT_OTHER || ev->name.n > 0)
		run_pass(r, STAGE_STRIP, &bare);
}

const struct stage strip_stage = {
	.name = "strip",
	.wanted = strip_wanted,
	.start = strip_start,
	.event = strip_event,
};
