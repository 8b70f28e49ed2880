/* Estimates the tokens of a call. */
#include "call/admission.h"

#include "base/limits.h"
#include "json/input.h"
#include "msg/call_request.h"

enum { MEDIA_BYTES = 4 * KIB, MEDIA_LOOK = 256, TOKEN_BYTES = 4 };

/* is_blank_free: whether a string may be base64: a text has white space among so many characters. */
static bool is_blank_free(struct str s)
{
	for (size_t i = 0; i < MEDIA_LOOK; i++)
		if (s.p[i] <= ' ' || s.p[i] > '~' || s.p[i] == '\\')
			return false;
	return true;
}

static bool is_type(const struct json_doc *d, json_at object, const char *a, const char *b)
{
	return json_get_is(d, object, "type", a) || json_get_is(d, object, "type", b);
}

/* is_media: whether the member is where an image, audio or a file has its data, in the words of one of
 * the families: {image_url: {url}}, {image_url}, {file: {file_data}}, {input_audio: {data, format}},
 * {source: {type: base64, media_type, data}}, {type: image, format, content}, {result}.  What looks
 * alike in a text is one. */
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
		       json_get(d, object, "format") != JSON_ABSENT;
	if (json_is(d, key, "content"))
		return is_type(d, object, "image", "audio");
	return json_is(d, key, "file_data") ||
	       (json_is(d, key, "result") &&
		is_type(d, object, "image_generation_call", "image_generation_call"));
}

int64_t admission_prompt_tokens(const struct input *in)
{
	const struct json_doc *d = &in->doc;
	size_t                 bytes = in->body.len;
	int64_t                media = 0;

	for (json_at i = 0; bytes >= MEDIA_BYTES && i < d->count; i++) {
		if (d->tok[i].kind != JSON_OBJECT || json_raw(d, i).n < MEDIA_BYTES)
			continue;
		JSON_EACH_MEMBER (k, d, i) {
			json_at v = json_value(k);

			if (d->tok[v].kind != JSON_STRING || d->tok[v].len <= MEDIA_BYTES + 2 ||
			    !is_media(d, i, k))
				continue;
			bytes -= json_inner(d, v).n;
			media += LIMIT_MEDIA_TOKENS;
		}
	}
	return (int64_t)((bytes + TOKEN_BYTES - 1) / TOKEN_BYTES) + media;
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
	ret->tokens = admission_prompt_tokens(rq->input);
	if (rq->what.prompt.embed)
		return;
	ret->open = rq->what.prompt.max_tokens.n == 0;
	ret->tokens +=
		ret->open ? LIMIT_GUESSED_TOKENS : admission_number(rq->what.prompt.max_tokens);
}
