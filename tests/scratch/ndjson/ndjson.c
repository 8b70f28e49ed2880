/* A family whose streams are OpenAI's chunks, one a line, and whose path ends in a verb.  Its bodies have
 * text and stream; the header x-scratch-store says whether the answer is stored. */
#include "base/limits.h"
#include "routes/call/call.h"
#include "routes/kit/handlers.h"
#include "shape/encoders.h"

static bool line_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)b;
	(void)name;
	(void)out;
	return true;
}

static const struct framing framing = {
	.content_type = "application/x-ndjson",
	.keep_alive = { "\n", 1 },
	.open = line_open,
	.close = { "\n", 1 },
};

static const struct shape shapes[] = {
	{ "scratch", NULL, chunk_create },
	{ 0 },
};

static const char *const headers[] = { "x-scratch-store", NULL };

const struct family scratch_ndjson = {
	.shapes = shapes,
	.framing = &framing,
	.error = err_body,
	.headers = headers,
	.run_id = ID_RUN,
	.warns_ahead = true,
};

static enum errc ndjson_read(struct input *in, const struct gateway *g, struct call_request *ret,
			     struct err *e)
{
	const struct json_doc *d = &in->doc;
	json_at                text = json_get(d, 0, "text");
	struct str            *message = arena_alloc(&in->arena, sizeof *message);
	struct buf             out;

	if (json_kind(d, text) != JSON_STRING)
		return err_set(e, ERR_INVALID_TYPE, "text", "must be a string");
	buf_init(&out, LIMIT_BODY_MAX + KIB);
	if (message && buf_text(&out, "{\"role\":\"user\",\"content\":") &&
	    buf_str(&out, json_raw(d, text)) && buf_text(&out, "}"))
		*message = arena_str(&in->arena, buf_view(&out));
	buf_finish(&out);
	if (!message || !message->p)
		return err_no_memory(e);
	ret->what.messages = message;
	ret->what.message_count = 1;
	ret->what.prompt.stream = json_is_kind(d, json_get(d, 0, "stream"), JSON_TRUE);
	ret->what.prompt.want_usage = ret->what.prompt.stream;
	ret->manner.store = str_is(ret->manner.headers[0], "true");
	return intake_model(g, STR_NONE, ret, e);
}

void scratch_ndjson_post(struct request *r, void *app)
{
	intake_serve_model(r, app, request_param(r, 0), ndjson_read);
}
