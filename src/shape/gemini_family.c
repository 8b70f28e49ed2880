/* Gemini's generateContent API: the routes below /v1beta/models, which are below /v1/models, too.  Blocks have no
 * numbers, so that no stream can be continued.  Sources: ai.google.dev/api/generate-content, and AIP-193 for errors. */
#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "shape/api_words.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <stdio.h>

/* --- errors --- */

static const char *gemini_status(int http)
{
	const struct api_error *row = api_words_told(&words_gemini, http);

	return row ? row->word : http < 499 ? "INVALID_ARGUMENT" : "INTERNAL";
}

#define DETAIL "{\"@type\":\"type.googleapis.com/google.rpc."

/* gemini_family_put_details: what is wrong, where, and when to try again; in the messages that Google's clients read. */
static bool gemini_family_put_details(const struct err *e, struct str request_id, struct buf *out)
{
	bool ok = buf_text(out, "[" DETAIL "ErrorInfo\",\"domain\":\"parley\",\"reason\":") &&
		  buf_json_string(out, str_of(err_wire(e))) && buf_text(out, "}");

	if (ok && e->path[0] && !e->verbatim)
		ok = buf_text(out, "," DETAIL "BadRequest\",\"fieldViolations\":[{\"field\":") &&
		     buf_json_string(out, str_of(e->path)) && buf_text(out, ",\"description\":") &&
		     err_message(e, out) && buf_text(out, "}]}");
	if (ok && e->retry_after_ms > 0)
		ok = buf_text(out, "," DETAIL "RetryInfo\",\"retryDelay\":\"") &&
		     buf_thousandths(out, e->retry_after_ms) && buf_text(out, "s\"}");
	if (ok && request_id.n > 0)
		ok = buf_text(out, "," DETAIL "RequestInfo\",\"requestId\":") &&
		     buf_json_string(out, request_id) && buf_text(out, "}");
	return ok && buf_text(out, "]");
}

bool gemini_error_put(const struct err *e, struct str request_id, struct buf *out)
{
	int http = err_http(e);

	return buf_fmt(out, "{\"error\":{\"code\":%d,\"message\":", http) && err_message(e, out) &&
	       buf_fmt(out, ",\"status\":\"%s\",\"details\":", gemini_status(http)) &&
	       gemini_family_put_details(e, request_id, out) && buf_text(out, "}}");
}

/* gemini_error_body: gemini_error_put with a line break, as a body. */
static bool gemini_error_body(const struct err *e, struct str request_id, struct buf *out)
{
	return gemini_error_put(e, request_id, out) && buf_text(out, "\n");
}

/* gemini_place: messages are contents here; their parts have other places. */
static void gemini_place(const struct origins *o, struct err *e)
{
	unsigned n;

	(void)o;
	if (strcmp(e->path, "system") == 0)
		str_copy(e->path, sizeof e->path, STR("systemInstruction"));
	else if (sscanf(e->path, "messages[%u]", &n) == 1)
		snprintf(e->path, sizeof e->path, "contents[%u]", n);
	else if (strncmp(e->path, "messages", 8) == 0)
		str_copy(e->path, sizeof e->path, STR("contents"));
}

/* --- framings --- */

/* Without alt=sse, a stream is one array, whose elements come as they are made. */
static bool array_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)name;
	return buf_text(out, b->begun ? ",\n" : "[");
}

static bool array_end(struct blocks *b, bool failed, struct buf *out)
{
	(void)failed;
	return buf_text(out, b->begun ? "]\n" : "[]\n");
}

static const struct framing framing_array = {
	.content_type = "application/json; charset=utf-8",
	.keep_alive = { "\n", 1 },
	.open = array_open,
	.close = { "", 0 },
	.end = array_end,
};

/* --- the family --- */

static const struct shape gemini_shapes[] = {
	{ SHAPE_GEMINI, NULL, gemini_stream_create },
	{ SHAPE_VECTOR, NULL, vectors_create_gemini },
	{ SHAPE_VECTORS, NULL, vectors_create_gemini_list },
	{ 0 },
};

static const char *const gemini_headers[] = { [GEMINI_STORE] = "x-parley-store", NULL };

/* gemini-cli (0.61) skips blocks with an error, and ends well without an answer. */
static const char *const gemini_halves[] = { "GeminiCLI", NULL };

/* Both have one name, so that they are one family to whoever reads a stored run. */
#define GEMINI                                                                         \
	.name = "gemini", .shapes = gemini_shapes, .error = gemini_error_body,         \
	.headers = gemini_headers, .key_header = "x-goog-api-key", .key_query = "key", \
	.place = gemini_place, .run_id = ID_RUN, .warns_ahead = true, .breaks = true,  \
	.halves = gemini_halves

const struct family family_gemini = {
	GEMINI,
	.framing = &framing_plain,
};

const struct family family_gemini_array = {
	GEMINI,
	.framing = &framing_array,
	.variant = "array",
};
