/* The families, and the lookup of their shapes. */
#include "shape/family.h"

#include "base/err.h"
#include "base/id.h"
#include "msg/cursor.h"
#include "msg/origin.h"
#include "shape/block.h"
#include "shape/encoders.h"
#include "shape/rebyte.h"
#include "shape/response.h"

#include <stdio.h>
#include <stdlib.h>

const struct shape *family_shape(const struct family *f, struct str word)
{
	for (const struct shape *s = f->shapes; s->word; s++)
		if (str_is(word, s->word))
			return s;
	return f->shapes;
}

bool family_has(const struct family *f, struct str word)
{
	return str_is(word, family_shape(f, word)->word);
}

const struct shape *family_format(const struct family *f, struct str name)
{
	for (const struct shape *s = f->shapes; s->word; s++)
		if (s->format && str_is(name, s->format))
			return s;
	return NULL;
}

/* --- LLM Chat: POST /v1/chat and its runs. */

static const struct shape chat_shapes[] = {
	{ SHAPE_NATIVE, "openai", chunk_create_ours },
	{ SHAPE_LMC, "lmc", lmc_stream_create },
	{ 0 },
};

const struct family family_chat = {
	.shapes = chat_shapes,
	.framing = &framing_events,
	.error = err_body,
	.run_id = ID_RUN,
	.cursor = cursor_parse,
	.renders = true,
	.files = true,
	.shows_unstored = true,
	.locates = true,
};

/* --- OpenAI's chat completions: POST /v1/chat/completions and the routes of stored completions. Blocks have no
 * numbers, and only the client of a call knows a run that is not stored. */

static const struct shape completions_shapes[] = {
	{ SHAPE_OPENAI, NULL, chunk_create },
	{ 0 },
};

const struct family family_completions = {
	.shapes = completions_shapes,
	.framing = &framing_events,
	.error = err_body,
	.run_id = ID_RUN,
	.shown_again = true,
	.warns_ahead = true,
	.breaks = true,
};

/* --- OpenAI's older completions of a prompt: POST /v1/completions.  Nothing is stored. */

static const struct shape text_shapes[] = {
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
	.shapes = text_shapes,
	.framing = &framing_events,
	.error = err_body,
	.place = text_place,
	.run_id = ID_RUN,
	.warns_ahead = true,
	.breaks = true,
};

/* --- Anthropic's Messages API: POST /v1/messages and the routes beside it.  Its blocks have no numbers, so that a
 * stream can only be read again from its start. */

static const struct shape messages_shapes[] = {
	{ SHAPE_ANTHROPIC, NULL, anthropic_stream_create },
	{ 0 },
};

static const char *const messages_headers[] = {
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
	.shapes = messages_shapes,
	.framing = &framing_named,
	.error = anthropic_error_body,
	.headers = messages_headers,
	.verbatim = true,
	.run_id = ID_RUN,
	.http = anthropic_error_http,
	.id_header = "request-id",
	.keep_alive = "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	.warns_ahead = true,
	.files = true,
	.place = messages_place,
};

/* --- OpenAI's Responses API: POST /v1/responses and the routes of stored responses.  A response is a run, and its
 * id has the run's body. */

static const struct shape responses_shapes[] = {
	{ SHAPE_RESPONSES, NULL, response_stream_create },
	{ 0 },
};

const struct family family_responses = {
	.shapes = responses_shapes,
	.framing = &framing_named,
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

/* --- Rebyte's API of agents, generation 1: the routes below /api/sdk.  A run of an agent is a run of a model; its
 * streams can't be continued, but the run can be read, and its events also have numbers at /v1/runs/{id}/events. */

static const struct shape rebyte_shapes[] = {
	{ SHAPE_REBYTE, NULL, rebyte_stream_create },
	{ 0 },
};

/* rebyte_place: a message of the request is named without its parts, which have other names there;
 * a message of the thread has no place in the request. */
static void rebyte_place(const struct origins *o, struct err *e)
{
	char         *end;
	unsigned long n;

	if (strncmp(e->path, "messages", 8) != 0)
		return;
	n = e->path[8] == '[' ? strtoul(e->path + 9, &end, 10) : 0;
	if (e->path[8] != '[' || *end != ']')
		str_copy(e->path, sizeof e->path, STR("inputs[0].messages"));
	else if (n < o->before)
		str_copy(e->path, sizeof e->path, STR("thread_id"));
	else
		snprintf(e->path, sizeof e->path, "inputs[0].messages[%lu]", n - o->before);
}

const struct family family_rebyte = {
	.shapes = rebyte_shapes,
	.framing = &framing_events,
	.error = rebyte_error_body,
	.place = rebyte_place,
	.run_id = ID_RUN,
	.object = rebyte_object,
	.renders = true,
	.files = true,
	.warns_ahead = true,
};
