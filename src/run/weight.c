/* Weighs a prompt before it is sent: at most so many tokens as it has bytes, but for media. */
#include "base/limits.h"
#include "json/scan.h"
#include "provider/provider.h"
#include "run/internal.h"
#include "shape/gemini_texts.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Base64 bytes of audio for one token.  A second of audio has at least 8 kbit, 1333 bytes
	 * in base64, and at most 40 tokens: 33 bytes for a token, and 24 are on the safe side. */
	AUDIO_BYTES = 24,
	/* Base64 bytes of a PDF for one token.  A page of print has rarely less than 13 kB, 18 kB in
	 * base64, and at most 3000 tokens, as text and as an image. */
	FILE_BYTES = 6,
	WALK_BYTES = 4 * KIB, /* an estimate ignores media in shorter messages */
};

/* bytes_weight: a file that is no text is a PDF, whose pages are read as text and as images. */
static int64_t bytes_weight(int64_t n)
{
	int64_t w = n / FILE_BYTES;

	return w > LIMIT_IMAGE_TOKENS ? w : LIMIT_IMAGE_TOKENS;
}

static int64_t file_weight(const struct json_doc *d, json_at part)
{
	json_at    file = json_get(d, part, "file");
	struct str data = json_is_kind(d, file, JSON_OBJECT) ? json_get_inner(d, file, "file_data")
							     : STR_NONE;

	if (data.n == 0 || str_starts(data, STR("data:text/")))
		return -1;
	return bytes_weight((int64_t)data.n);
}

/* part_weight: the tokens of a part of content that is media; -1: the part is no media. */
static int64_t part_weight(const struct json_doc *d, json_at part)
{
	json_at type = json_get(d, part, "type");

	if (json_kind(d, part) != JSON_OBJECT || type == JSON_ABSENT)
		return -1;
	if (json_is(d, type, "image_url") || json_is(d, type, "input_image") ||
	    json_is(d, type, "image"))
		return LIMIT_IMAGE_TOKENS;
	if (json_is(d, type, "input_audio"))
		return (int64_t)json_raw(d, part).n / AUDIO_BYTES + 1;
	return json_is(d, type, "file") ? file_weight(d, part) : -1;
}

/* parts_weight: the tokens of a list's media, less their bytes, which the caller has counted as
 * tokens. */
static int64_t parts_weight(const struct json_doc *d, json_at list)
{
	int64_t w = 0;

	if (list == JSON_ABSENT || json_kind(d, list) != JSON_ARRAY)
		return 0;
	JSON_EACH (i, d, list) {
		int64_t tokens = part_weight(d, i);

		if (tokens >= 0)
			w += tokens - (int64_t)json_raw(d, i).n;
	}
	return w;
}

/* media_weight: what the media of a message weigh more than their bytes. */
static int64_t media_weight(const struct json_doc *d, json_at message)
{
	return parts_weight(d, json_get(d, message, "content")) +
	       parts_weight(d, json_get(d, message, "images"));
}

int64_t weight_message(const struct run *r, struct str m, bool exact)
{
	json_at         here = JSON_ABSENT;
	struct json_doc d = { 0 };
	struct err      e;
	int64_t         w = (int64_t)m.n;

	if (!exact && m.n < WALK_BYTES)
		return w;
	if (r->rq)
		here = json_spanned(&r->rq->input->doc, m);
	if (here != JSON_ABSENT)
		return w + media_weight(&r->rq->input->doc, here);
	if (!exact && !memmem(m.p, m.n, "\"image", 6) && !memmem(m.p, m.n, "\"input_audio\"", 13) &&
	    !memmem(m.p, m.n, "\"file_data\"", 11))
		return w;
	if (json_scan(&d, m.p, m.n, &json_limits_stored, &e) == ERR_OK)
		w += media_weight(&d, 0);
	json_doc_finish(&d);
	return w;
}

/* --- a request in its client's own words --- */

/* mark_blocks: the base64 of pictures and documents in a list of Anthropic's blocks; deep: in results of tools, too. */
static void mark_blocks(const struct json_doc *d, json_at list, bool deep, unsigned char *marks)
{
	if (!json_is_kind(d, list, JSON_ARRAY))
		return;
	JSON_EACH (i, d, list) {
		bool    image = json_get_is(d, i, "type", "image");
		json_at source = json_get(d, i, "source");
		json_at data = source != JSON_ABSENT ? json_get(d, source, "data") : JSON_ABSENT;

		if (deep && json_get_is(d, i, "type", "tool_result"))
			mark_blocks(d, json_get(d, i, "content"), false, marks);
		else if ((image || json_get_is(d, i, "type", "document")) && data != JSON_ABSENT &&
			 json_get_is(d, source, "type", "base64"))
			marks[data] = image ? GEMINI_IMAGE : GEMINI_FILE;
	}
}

static unsigned char *mark_turns(const struct json_doc *d)
{
	unsigned char *marks = calloc(d->count + 1, 1);
	json_at        messages = json_get(d, 0, "messages");

	if (marks && json_is_kind(d, messages, JSON_ARRAY))
		JSON_EACH (i, d, messages)
			mark_blocks(d, json_get(d, i, "content"), true, marks);
	return marks;
}

int64_t weight_native(const struct prompt_native *native)
{
	const struct json_doc *d = native->doc;
	unsigned char         *marks;
	int64_t                w = 0;

	if (!(native->takes & (PROVIDER_GEMINI | PROVIDER_MESSAGES)))
		return 0;
	marks = native->takes & PROVIDER_GEMINI ? gemini_marks(d, 0) : mark_turns(d);
	for (json_at i = 0; i < d->count; i++) {
		int64_t n = (int64_t)d->tok[i].len;

		if (json_kind(d, i) == JSON_OBJECT || json_kind(d, i) == JSON_ARRAY)
			continue;
		switch (marks ? (enum gemini_mark)marks[i] : GEMINI_PLAIN) {
		case GEMINI_PLAIN:
		case GEMINI_ALONE: w += n; break;
		case GEMINI_IMAGE: w += LIMIT_IMAGE_TOKENS; break;
		case GEMINI_SOUND: w += n / AUDIO_BYTES + 1; break;
		case GEMINI_FILE: w += bytes_weight(n); break;
		}
	}
	free(marks);
	return w;
}
