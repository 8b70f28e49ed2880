/* The families, and the lookup of their shapes. */
#include "shape/family.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "msg/event.h"
#include "msg/prompt.h"
#include "shape/api_words.h"
#include "shape/encoders.h"
#include "shape/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

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

bool family_halves(const struct family *f, struct str agent)
{
	for (size_t i = 0; f->halves && f->halves[i]; i++)
		if (str_starts(agent, str_of(f->halves[i])))
			return true;
	return false;
}

/* --- LLM Chat: POST /v1/chat and its runs. */

static const struct shape chat_shapes[] = {
	{ SHAPE_NATIVE, "openai", chunk_create_ours },
	{ SHAPE_LMC, "lmc", lmc_stream_create },
	{ 0 },
};

const struct family family_chat = {
	.name = "chat",
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

/* LangChain4j (1.19, Java) skips blocks with an error, and is content with any end of a body. */
static const char *const completions_halves[] = { "langchain4j-openai", NULL };

static const struct shape completions_shapes[] = {
	{ SHAPE_OPENAI, NULL, chunk_create },
	{ 0 },
};

const struct family family_completions = {
	.name = "completions",
	.shapes = completions_shapes,
	.framing = &framing_plain,
	.error = err_body,
	.run_id = ID_RUN,
	.shown_again = true,
	.warns_ahead = true,
	.breaks = true,
	.halves = completions_halves,
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
	.name = "text",
	.shapes = text_shapes,
	.framing = &framing_plain,
	.error = err_body,
	.place = text_place,
	.run_id = ID_RUN,
	.warns_ahead = true,
	.breaks = true,
	.halves = completions_halves,
};

/* --- anthropic_error: The statuses and types of Anthropic's errors, and the object that says them. */

enum { OVERLOADED = 529 };

static const char *anthropic_error_type(int http)
{
	const struct api_error *row = api_words_told(&words_anthropic, http);

	return row ? row->word : http < 499 ? "invalid_request_error" : "api_error";
}

/* anthropic_error_http: the status of e.  An overloaded gateway or provider is a 529, by which
 * clients of this API tell that waiting helps. */
static int anthropic_error_http(const struct err *e)
{
	int http = err_http(e);

	return http == 503 || e->upstream_status == OVERLOADED ? OVERLOADED : http;
}

/* put_dots: messages[1].content[0] as messages.1.content.0. */
static void put_dots(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++)
		if (*from == '[')
			*to++ = '.';
		else if (*from != ']')
			*to++ = *from;
	*to = '\0';
}

/* say_overflow: clients that shorten their prompts by themselves look for these words. */
static void say_overflow(struct err *e)
{
	char text[sizeof e->text];

	if (strcmp(err_wire(e), "context_length_exceeded") != 0 ||
	    strncasecmp(e->text, "prompt is too long", 18) == 0)
		return;
	if (snprintf(text, sizeof text, "prompt is too long: %s", e->text) > 0)
		str_copy(e->text, sizeof e->text, str_of(text));
}

/* put_details: the words by which Anthropic's SDKs tell errors apart: a provider's own, or those at
 * which the SDKs send all messages in place of a thread. */
static bool put_details(const struct err *e, struct buf *out)
{
	bool ours = e->code == ERR_UNSUPPORTED_PARAMETER && strcmp(e->path, "thread") == 0;

	if (!ours && !e->wire[0])
		return true;
	out->len--; /* the end of the error's object */
	if (ours)
		return buf_text(out, ",\"details\":{\"error_code\":\"thread_unsupported_request\","
				     "\"unsupported\":[\"thread\"]}}");
	return buf_text(out, ",\"details\":{\"error_code\":") &&
	       buf_json_string(out, str_of(e->wire)) && buf_text(out, "}}");
}

bool anthropic_error_put(const struct err *e, struct str request_id, struct buf *out)
{
	struct err said = *e;

	put_dots(said.path);
	say_overflow(&said);
	str_copy(said.type, sizeof said.type,
		 str_of(anthropic_error_type(anthropic_error_http(e))));
	return buf_text(out, "{\"type\":\"error\",\"error\":") &&
	       err_object(&said, STR_NONE, out) && put_details(e, out) &&
	       buf_text(out, ",\"request_id\":") && buf_json_string(out, request_id) &&
	       buf_text(out, "}");
}

/* anthropic_error_body: anthropic_error_put with a line break, as a body. */
static bool anthropic_error_body(const struct err *e, struct str request_id, struct buf *out)
{
	return anthropic_error_put(e, request_id, out) && buf_text(out, "\n");
}

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
	.name = "messages",
	.shapes = messages_shapes,
	.framing = &framing_named,
	.error = anthropic_error_body,
	.headers = messages_headers,
	.verbatim = true,
	.metadata_is_bare = true,
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
	.name = "responses",
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
	.name = "rebyte",
	.shapes = rebyte_shapes,
	.framing = &framing_plain,
	.error = rebyte_error_body,
	.place = rebyte_place,
	.run_id = ID_RUN,
	.object = rebyte_object,
	.renders = true,
	.files = true,
	.warns_ahead = true,
};
