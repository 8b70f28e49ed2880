/* Estimates the tokens of a call. */
#include "call/admission.h"

#include "base/buf.h"
#include "base/limits.h"
#include "json/input.h"
#include "msg/call_request.h"

enum { MEDIA_BYTES = 4 * KIB, MEDIA_LOOK = 256, TOKEN_BYTES = 4 };

/* admission_is_escape: whether this is how some languages write a character of base64, a slash or a plus, in JSON. */
static bool admission_is_escape(struct str s)
{
	return str_starts(s, STR("\\/")) || str_starts(s, STR("\\u002B")) ||
	       str_starts(s, STR("\\u002b"));
}

/* is_blank_free: whether a string may be base64: a text has white space among so many characters. */
static bool is_blank_free(struct str s)
{
	for (size_t i = 0; i < MEDIA_LOOK; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' ||
		    (s.p[i] == '\\' && !admission_is_escape((struct str){ s.p + i, s.n - i })))
			return false;
	return true;
}

static bool is_type(const struct json_doc *d, json_at object, const char *a, const char *b)
{
	return json_get_is(d, object, "type", a) || json_get_is(d, object, "type", b);
}

/* is_inline: whether an object is Gemini's inlineData with something else than a text. */
static bool is_inline(const struct json_doc *d, json_at object)
{
	struct str type = json_get_inner(d, object, "mimeType");
	struct buf plain;

	if (object == 0 ||
	    !(json_is(d, object - 1, "inlineData") || json_is(d, object - 1, "inline_data")))
		return false;
	if (type.n == 0)
		type = json_get_inner(d, object, "mime_type");
	buf_init(&plain, MEDIA_LOOK);
	bool media = json_unescape(type, &plain) && plain.len > 0 &&
		     !str_starts(buf_view(&plain), STR("text/")) &&
		     !str_is(buf_view(&plain), "application/json");
	buf_finish(&plain);
	return media;
}

/* is_media: whether the member is where an image, audio or a file has its data, in the words of one of
 * the families: {image_url: {url}}, {image_url}, {file: {file_data}}, {input_audio: {data, format}},
 * {source: {type: base64, media_type, data}}, {type: image, format, content}, {result},
 * {inlineData: {mimeType, data}}.  What looks alike in a text is one. */
static bool is_media(const struct json_doc *d, json_at object, json_at key)
{
	struct str value = json_inner(d, json_value(key));

	if (str_starts(value, STR("data:text/")))
		return false;
	if (json_is(d, key, "url") || json_is(d, key, "image_url"))
		return str_starts(value, STR("data:"));
	if (!is_blank_free(value))
		return false;
	if (json_is(d, key, "data"))
		return is_type(d, object, "base64", "base64") ||
		       json_get(d, object, "format") != JSON_ABSENT || is_inline(d, object);
	if (json_is(d, key, "content"))
		return is_type(d, object, "image", "audio");
	return json_is(d, key, "file_data") ||
	       (json_is(d, key, "result") &&
		is_type(d, object, "image_generation_call", "image_generation_call"));
}

static bool admission_is_long(const struct json_doc *d, json_at v)
{
	return d->tok[v].kind == JSON_STRING && d->tok[v].len > MEDIA_BYTES + 2;
}

/* media_of: counts the media that a member has; *bytes loses theirs.  Ollama's API has them in a list: {images: []}. */
static int64_t media_of(const struct json_doc *d, json_at object, json_at key, size_t *bytes)
{
	json_at v = json_value(key);
	int64_t n = 0;

	if (admission_is_long(d, v) && is_media(d, object, key)) {
		*bytes -= json_inner(d, v).n;
		return 1;
	}
	if (d->tok[v].kind == JSON_ARRAY && d->tok[v].len > MEDIA_BYTES &&
	    json_is(d, key, "images"))
		JSON_EACH (i, d, v)
			if (admission_is_long(d, i) && is_blank_free(json_inner(d, i))) {
				*bytes -= json_inner(d, i).n;
				n++;
			}
	return n;
}

int64_t admission_prompt_tokens(const struct input *in)
{
	const struct json_doc *d = &in->doc;
	size_t                 bytes = in->body.len;
	int64_t                media = 0;

	for (json_at i = 0; bytes >= MEDIA_BYTES && i < d->count; i++)
		if (d->tok[i].kind == JSON_OBJECT && json_raw(d, i).n >= MEDIA_BYTES)
			JSON_EACH_MEMBER (k, d, i)
				media += media_of(d, i, k, &bytes);
	return (int64_t)((bytes + TOKEN_BYTES - 1) / TOKEN_BYTES) + media * LIMIT_MEDIA_TOKENS;
}

/* admission_number: reads digits; a number above the largest window is cut to it. */
static int64_t admission_number(struct str text)
{
	int64_t v = 0;

	for (size_t i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
		if (v <= LIMIT_RATE_COUNT)
			v = v * 10 + (text.p[i] - '0');
	return v;
}

void admission_estimate(const struct call_request *rq, struct admit_ask *ret)
{
	admission_estimate_of(rq, admission_prompt_tokens(rq->input), ret);
}

void admission_estimate_of(const struct call_request *rq, int64_t prompt, struct admit_ask *ret)
{
	ret->tokens = prompt;
	if (rq->what.prompt.embed)
		return;
	ret->open = rq->what.prompt.max_tokens.n == 0;
	ret->tokens +=
		ret->open ? LIMIT_GUESSED_TOKENS : admission_number(rq->what.prompt.max_tokens);
}
