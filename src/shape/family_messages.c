/* Anthropic's Messages API: POST /v1/messages and the routes beside it.  Its blocks have no
 * numbers, so that a stream can only be read again from its start. */
#include "shape/block.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include "base/err.h"
#include "msg/origin.h"

#include <stdio.h>

static const struct shape shapes[] = {
	{ SHAPE_ANTHROPIC, NULL, anthropic_stream_create },
	{ 0 },
};

static const char *const headers[] = {
	[MESSAGES_VERSION] = "anthropic-version",
	[MESSAGES_BETA] = "anthropic-beta",
	[MESSAGES_STORE] = "x-parley-store",
	NULL,
};

/* messages_place: of the parts, only those that name files have rows. */
static void messages_place(const struct origins *o, struct err *e)
{
	unsigned message;
	unsigned n;

	if (sscanf(e->path, "messages[%u].content[%u]", &message, &n) != 2 || message < o->before)
		return;
	for (size_t i = 0; i < o->count; i++) {
		const struct origin *row = &o->list[i];

		if (row->message == message - o->before && row->n == n) {
			snprintf(e->path, sizeof e->path, "messages.%u.content.%u.%s", row->item,
				 row->at, row->key);
			return;
		}
	}
}

const struct family family_messages = {
	.shapes = shapes,
	.framing = &framing_events,
	.error = anthropic_error_body,
	.headers = headers,
	.verbatim = true,
	.run_id = ID_RUN,
	.http = anthropic_error_http,
	.id_header = "request-id",
	.keep_alive = "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	.warns_ahead = true,
	.files = true,
	.place = messages_place,
};
