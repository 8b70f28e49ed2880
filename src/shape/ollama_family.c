/* Ollama's API: the routes below /api.  A stream is one JSON value a line, and no line has a number, so that no stream
 * can be continued.  Source: Ollama's api/types.go and docs/api.md. */
#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "shape/encoders.h"
#include "shape/family.h"

#include <stdio.h>

/* Clients know one member alone, and show its text.  Some look in it for "not found", to have the model pulled or to say
 * that it is missing. */
bool ollama_error_put(const struct err *e, struct str request_id, struct buf *out)
{
	struct err missing;

	(void)request_id;
	if (e->code == ERR_MODEL_NOT_FOUND) {
		missing = *e;
		str_copy(missing.path, sizeof missing.path, STR("model not found"));
		e = &missing;
	}
	return buf_text(out, "{\"error\":") && err_message(e, out) && buf_text(out, "}");
}

static bool ollama_error_body(const struct err *e, struct str request_id, struct buf *out)
{
	return ollama_error_put(e, request_id, out) && buf_text(out, "\n");
}

/* --- places: what a chat of OpenAI's calls otherwise --- */

static const struct {
	const char *ours, *theirs;
} ollama_places[] = {
	{ "response_format", "format" },
	{ "reasoning_effort", "think" },
	{ "max_tokens", "options.num_predict" },
	{ "temperature", "options.temperature" },
	{ "top_p", "options.top_p" },
	{ "top_k", "options.top_k" },
	{ "seed", "options.seed" },
	{ "stop", "options.stop" },
	{ "presence_penalty", "options.presence_penalty" },
	{ "frequency_penalty", "options.frequency_penalty" },
};

static void ollama_place_member(struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(ollama_places); i++) {
		const char *ours = ollama_places[i].ours;
		size_t      n = strlen(ours);

		if (strncmp(e->path, ours, n) != 0 || (e->path[n] != '\0' && e->path[n] != '.'))
			continue;
		str_copy(e->path, sizeof e->path, str_of(ollama_places[i].theirs));
		return;
	}
}

/* ollama_place: parts of a message have other places. */
static void ollama_place(const struct origins *o, struct err *e)
{
	unsigned n;

	(void)o;
	if (sscanf(e->path, "messages[%u]", &n) == 1)
		snprintf(e->path, sizeof e->path, "messages[%u]", n);
	else
		ollama_place_member(e);
}

/* ollama_prompt_place: the prompt is a message; the other one keeps its name. */
static void ollama_prompt_place(const struct origins *o, struct err *e)
{
	(void)o;
	if (strncmp(e->path, "messages", 8) == 0)
		str_copy(e->path, sizeof e->path, STR("prompt"));
	else
		ollama_place_member(e);
}

/* --- framing --- */

static bool ollama_family_line_open(const struct blocks *b, struct str name, struct buf *out)
{
	(void)b;
	(void)name;
	(void)out;
	return true;
}

/* An empty line is no JSON, but a line may begin with a blank. */
static const struct framing framing_lines = {
	.content_type = "application/x-ndjson",
	.keep_alive = { " ", 1 },
	.open = ollama_family_line_open,
	.close = { "\n", 1 },
};

/* --- the families --- */

static const struct shape ollama_shapes[] = {
	{ SHAPE_OLLAMA, NULL, ollama_stream_create },
	{ SHAPE_OLLAMA_TEXT, NULL, ollama_stream_create_text },
	{ SHAPE_EMBEDDING, NULL, vectors_create_ollama },
	{ SHAPE_EMBEDDINGS, NULL, vectors_create_ollama_list },
	{ 0 },
};

static const char *const ollama_headers[] = { [OLLAMA_STORE] = "x-parley-store", NULL };

/* Both have one name, so that they are one family to whoever reads a stored run. */
#define OLLAMA                                                                   \
	.name = "ollama", .framing = &framing_lines, .error = ollama_error_body, \
	.headers = ollama_headers, .metadata_is_bare = true, .run_id = ID_RUN,   \
	.warns_ahead = true, .untyped = true, .breaks = true

const struct family family_ollama = {
	OLLAMA,
	.shapes = ollama_shapes,
	.place = ollama_place,
};

const struct family family_ollama_prompt = {
	OLLAMA,
	.shapes = ollama_shapes + 1,
	.place = ollama_prompt_place,
};
