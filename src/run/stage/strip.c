/* Where a stage changes text, the provider's own bytes would go around the change: they are taken out
 * of each event first. */
#include "run/internal.h"

static bool strip_wanted(const struct run *r)
{
	unsigned left = r->engine->stages_with[STAGE_PART_TOUCHES];
	bool     wanted = false;

	for (; left && !wanted; left &= left - 1)
		wanted = run_stages[stage_lowest(left)]->wanted(r);
	return wanted;
}

static void strip_event(struct run *r, const struct event *ev)
{
	struct event bare = *ev;

	if (ev->raw.n > 0)
		bare.give = NULL; /* it begins with raw */
	bare.raw = bare.raw_usage = bare.raw_role = bare.raw_id = bare.raw_created = STR_NONE;
	bare.raw_only_usage = false;
	bare.cont = false;
	run_pass(r, STAGE_STRIP, &bare);
}

const struct stage strip_stage = {
	.name = "strip",
	.wanted = strip_wanted,
	.event = strip_event,
};
