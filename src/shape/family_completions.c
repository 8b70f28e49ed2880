/* OpenAI's chat completions: POST /v1/chat/completions and the routes of stored completions. Blocks
 * have no numbers, and only the client of a call knows a run that is not stored. */
#include "base/err.h"
#include "shape/chunk.h"
#include "shape/block.h"
#include "shape/family.h"

static const struct shape shapes[] = {
	{ SHAPE_OPENAI, NULL, chunk_create },
	{ 0 },
};

const struct family family_completions = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = err_body,
	.run_id = ID_RUN,
	.shown_again = true,
	.warns_ahead = true,
	.breaks = true,
};
