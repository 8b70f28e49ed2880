/* LLM Chat: POST /v1/chat and its runs. */
#include "base/err.h"
#include "msg/cursor.h"
#include "shape/chunk.h"
#include "shape/block.h"
#include "shape/family.h"
#include "shape/encoders.h"

static const struct shape shapes[] = {
	{ SHAPE_NATIVE, "openai", chunk_create_ours },
	{ SHAPE_LMC, "lmc", lmc_stream_create },
	{ 0 },
};

const struct family family_chat = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = err_body,
	.run_id = ID_RUN,
	.cursor = cursor_parse,
	.renders = true,
	.files = true,
	.shows_unstored = true,
	.locates = true,
};
