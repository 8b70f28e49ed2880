/* OpenAI's Responses API: POST /v1/responses and the routes of stored responses.  A response is a
 * run, and its id has the run's body. */
#include "base/err.h"
#include "shape/block.h"
#include "shape/family.h"
#include "shape/response.h"

static const struct shape shapes[] = {
	{ SHAPE_RESPONSES, NULL, response_stream_create },
	{ 0 },
};

const struct family family_responses = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = err_body,
	.place = response_place,
	.run_id = ID_RESPONSE,
	.cursor = response_stream_cursor,
	.object = response_object,
	.cancels = response_cancels,
	.renders = true,
	.files = true,
	.repeats = true,
	.warns_ahead = true,
};
