/* The statuses and types of Anthropic's errors, and the object that says them. */
#include "shape/encoders.h"

#include "base/buf.h"
#include "shape/api_words.h"

#include <stdio.h>
#include <strings.h>

enum { OVERLOADED = 529 };

int anthropic_error_http(const struct err *e)
{
	int http = err_http(e);

	return http == 503 || e->upstream_status == OVERLOADED ? OVERLOADED : http;
}

static const char *anthropic_error_type(int http)
{
	const struct api_error *row = api_words_told(&words_anthropic, http);

	return row ? row->word : http < 499 ? "invalid_request_error" : "api_error";
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

bool anthropic_error_body(const struct err *e, struct str request_id, struct buf *out)
{
	return anthropic_error_put(e, request_id, out) && buf_text(out, "\n");
}
