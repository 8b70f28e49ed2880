/* OpenAI's older completions of a prompt: POST /v1/completions.  Nothing is stored. */
#include "base/err.h"
#include "base/id.h"
#include "shape/block.h"
#include "shape/family.h"
#include "shape/encoders.h"

static const struct shape shapes[] = {
	{ SHAPE_TEXT, NULL, text_chunk_create },
	{ SHAPE_TEXT_RAW, NULL, text_chunk_create_raw },
	{ 0 },
};

/* text_place: the prompt is the only message. */
static void text_place(const struct origins *o, struct err *e)
{
	(void)o;
	if (strncmp(e->path, "messages", 8) == 0)
		str_copy(e->path, sizeof e->path, STR("prompt"));
}

const struct family family_text = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = err_body,
	.place = text_place,
	.run_id = ID_RUN,
	.warns_ahead = true,
	.breaks = true,
};
