/* Rows, logs and traces repeat why an answer ended, unlike its content, so secrets are removed from
 * the reason. */
#include "provider/secret_mask.h"

#include "base/limits.h"
#include "run/internal.h"

/* mask_wanted: of a run with a computer, interpret removes them, as it keeps the reason. */
static bool mask_wanted(const struct run *r)
{
	return !r->computer;
}

/* mask_finish: the raw bytes of the chunk still have the secrets, and say nothing else, so the encoder
 * then makes the chunk from the event. */
static void mask_finish(struct run *r, const struct event *ev)
{
	const struct mask *mask = r->provider->mask;
	char               text[LIMIT_MASK_TEXT];
	char               name[LIMIT_MASK_TEXT];
	bool               in_text = mask_text(mask, ev->text, text, sizeof text);
	bool               in_name = mask_text(mask, ev->name, name, sizeof name);

	if (!in_text && !in_name) {
		run_pass(r, STAGE_MASK, ev);
		return;
	}
	struct event said = *ev;
	if (in_text)
		said.text = str_of(text);
	if (in_name)
		said.name = str_of(name);
	said.raw = STR_NONE;
	run_pass(r, STAGE_MASK, &said);
}

static void mask_event(struct run *r, const struct event *ev)
{
	if (ev->kind == EVENT_FINISH)
		mask_finish(r, ev);
	else
		run_pass(r, STAGE_MASK, ev);
}

const struct stage mask_stage = {
	.name = "mask",
	.wanted = mask_wanted,
	.event = mask_event,
};
