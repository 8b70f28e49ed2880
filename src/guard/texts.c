/* Finds the texts of a JSON value, and the places where a text may be cut. */
#include "guard/texts.h"

#include "base/hash.h"
#include "base/limits.h"
#include "json/member.h"
#include "lmc/datum.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_MOST = 256,
	HEAD_MOST = 128,  /* bytes of a data URL before its base64 */
	MEDIA_LEAST = 64, /* bytes of base64; what is shorter may be a secret */
};

/* --- values --- */

/* Members whose values are words of the API's, and those words: any other value is a text. */
static const char *const words[] = {
	"role",        "type",         "status",           "object", "detail",
	"phase",       "service_tier", "reasoning_effort", "effort", "summary",
	"tool_choice", "truncation",   "encoding_format",  "format", "media_type",
	"mimeType",    "mime_type",    "responseMimeType", "mode"
};
static const char *const known[] = {
	/* roles */
	"user", "assistant", "system", "developer", "tool", "function", "computer", "server",
	"model",
	/* types of messages and parts */
	"message", "text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal",
	"image", "image_url", "input_image", "output_image", "audio", "input_audio", "output_audio",
	"file", "input_file", "document", "video", "video_url", "code", "console", "confirmation",
	"base64", "url", "content", "thinking", "redacted_thinking", "reasoning", "reasoning.text",
	"reasoning.summary", "reasoning.encrypted", "tool_use", "tool_result", "tool_call",
	"tool_calls", "tool_call_output", "function_call", "function_call_output", "custom",
	"custom_tool_call", "custom_tool_call_output", "item_reference", "image_generation_call",
	"web_search_call", "web_search_tool_result", "server_tool_use", "search_result",
	"url_citation", "file_citation", "ephemeral", "enabled", "disabled", "adaptive",
	"prediction", "execution", "output", "active_line", "html", "path", "base64.png",
	"base64.jpeg", "base64.svg",
	/* types of schemas */
	"json_schema", "json_object", "string", "integer", "number", "boolean", "array", "null",
	"OBJECT", "STRING", "INTEGER", "NUMBER", "BOOLEAN", "ARRAY", "NULL",
	/* the rest */
	"completed", "in_progress", "incomplete", "failed", "chat.completion",
	"chat.completion.chunk", "text_completion", "response", "list", "embedding", "auto", "none",
	"any", "required", "low", "high", "medium", "minimal", "xhigh", "max", "default", "flex",
	"priority", "standard_only", "concise", "detailed", "float", "wav", "mp3", "opus", "flac",
	"pcm16", "image/png", "image/jpeg", "image/webp", "image/gif", "application/pdf",
	"text/plain", "application/json", "AUTO", "ANY", "NONE", "VALIDATED", "commentary",
	"final_answer"
};
/* Members with names that somebody has made. */
static const char *const ids[] = { "id",      "call_id", "tool_call_id", "tool_use_id",
				   "item_id", "file_id", "conversation", "previous_response_id" };

/* Members that may have a data URL. */
static const char *const urls[] = { "url", "image_url", "video_url", "file_url", "file_data" };

/* Members that have bare base64, and a member beside them by which it is known for it; its value is NULL: any. */
static const struct {
	const char *key, *beside, *value;
} media[] = {
	{ "data", "type", "base64" },
	{ "data", "type", "redacted_thinking" },
	{ "data", "type", "reasoning.encrypted" },
	{ "data", "format", NULL },
	{ "data", "transcript", NULL },
	{ "file_data", "filename", NULL },
	{ "content", "format", "base64.png" },
	{ "content", "format", "base64.jpeg" },
	{ "content", "format", "base64.svg" },
	{ "signature", "type", "thinking" },
	{ "signature", "type", "reasoning.text" },
	{ "encrypted_content", "type", "reasoning" },
	{ "encrypted_content", "type", "web_search_result" },
	{ "thought_signature", NULL, NULL },
	{ "thoughtSignature", NULL, NULL },
	{ "b64_json", NULL, NULL },
};

static bool texts_is_one_of(const struct json_doc *d, json_at key, const char *const *list,
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_is(d, key, list[i]))
			return true;
	return false;
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool texts_is_base64(struct str s)
{
	size_t n = 0;

	while (n < s.n && (is_word_byte(s.p[n]) || s.p[n] == '+' || s.p[n] == '/' || s.p[n] == '-'))
		n++;
	while (n < s.n && s.p[n] == '=')
		n++;
	return n == s.n && n > 0;
}

static bool is_mime_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+' ||
	       c == '/' || c == '-';
}

/* texts_is_data_url: data:TYPE;NAME=TOKEN;base64,BASE64, and nothing else. */
static bool texts_is_data_url(struct str s)
{
	static const char base64[] = ";base64,";
	size_t            n = 5;

	if (!str_starts(s, STR("data:")))
		return false;
	while (n < s.n && is_mime_byte(s.p[n]))
		n++;
	if (n == 5)
		return false;
	while (n < s.n && n < HEAD_MOST && s.p[n] == ';' &&
	       !str_starts((struct str){ s.p + n, s.n - n }, STR(";base64,"))) {
		size_t equals = 0;

		for (n++; n < s.n && (is_mime_byte(s.p[n]) || is_word_byte(s.p[n]) ||
				      (s.p[n] == '=' && equals == 0));
		     n++)
			equals += s.p[n] == '=';
		if (equals == 0)
			return false;
	}
	if (n > HEAD_MOST || !str_starts((struct str){ s.p + n, s.n - n }, STR(";base64,")))
		return false;
	n += sizeof base64 - 1;
	return texts_is_base64((struct str){ s.p + n, s.n - n });
}

bool texts_is_signature(struct str s)
{
	return s.n >= MEDIA_LEAST && texts_is_base64(s);
}

/* texts_is_media: a long word of letters may be a secret, so base64 counts as media only where an API has media. */
static bool texts_is_media(const struct json_doc *d, json_at object, json_at key, struct str s)
{
	if (texts_is_one_of(d, key, urls, ARRAY_LEN(urls)) && texts_is_data_url(s))
		return true;
	if (!texts_is_signature(s))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(media); i++) {
		if (!json_is(d, key, media[i].key))
			continue;
		if (!media[i].beside ||
		    (media[i].value ? json_get_is(d, object, media[i].beside, media[i].value)
				    : json_get_some(d, object, media[i].beside) != JSON_ABSENT))
			return true;
	}
	return false;
}

bool texts_is_id(struct str s)
{
	size_t n = 0;

	while (n < s.n && (is_word_byte(s.p[n]) || s.p[n] == '-' || s.p[n] == '.' || s.p[n] == ':'))
		n++;
	return n == s.n && n <= ID_MOST;
}

static enum texts_kind texts_kind_of(const struct json_doc *d, json_at object, json_at key,
				     json_at value)
{
	struct str s = json_inner(d, value);

	if (s.n == 0)
		return TEXTS_NONE;
	if (key == JSON_ABSENT)
		return TEXTS_TEXT;
	if (texts_is_one_of(d, key, words, ARRAY_LEN(words)) &&
	    texts_is_one_of(d, value, known, ARRAY_LEN(known)))
		return TEXTS_NONE;
	if (texts_is_one_of(d, key, ids, ARRAY_LEN(ids)) && texts_is_id(s))
		return TEXTS_NONE;
	return texts_is_media(d, object, key, s) ? TEXTS_MEDIA : TEXTS_TEXT;
}

unsigned char *texts_find(const struct json_doc *d)
{
	unsigned char *ret = calloc(d->count ? d->count : 1, 1);

	for (json_at i = 0; ret && i < d->count; i++) {
		if (json_kind(d, i) == JSON_OBJECT) {
			JSON_EACH_MEMBER (key, d, i)
				if (json_kind(d, json_value(key)) == JSON_STRING)
					ret[json_value(key)] = (unsigned char)texts_kind_of(
						d, i, key, json_value(key));
		} else if (json_kind(d, i) == JSON_ARRAY) {
			JSON_EACH (at, d, i)
				if (json_kind(d, at) == JSON_STRING)
					ret[at] =
						(unsigned char)texts_kind_of(d, i, JSON_ABSENT, at);
		} else if (i == 0 && json_kind(d, i) == JSON_STRING) {
			ret[i] = (unsigned char)texts_kind_of(d, i, JSON_ABSENT, i);
		}
	}
	return ret;
}

bool texts_gather(const struct json_doc *d, const unsigned char *kinds, enum texts_kind kind,
		  json_at at, struct buf *out, size_t *count)
{
	for (json_at i = at; i < d->tok[at].next; i++) {
		bool data = kinds[i] == TEXTS_DATA || kinds[i] == TEXTS_DATA_WORD;

		if (kind == TEXTS_TEXT && data) {
			if ((out->len > 0 && !buf_text(out, ",")) || !buf_text(out, "\"") ||
			    !texts_data(d, i, out) || !buf_text(out, "\""))
				return false;
			(*count)++;
		}
		if (kinds[i] != kind && !(kind == TEXTS_TEXT && kinds[i] == TEXTS_DATA_WORD))
			continue;
		if ((out->len > 0 && !buf_text(out, ",")) || !buf_str(out, json_raw(d, i)))
			return false;
		(*count)++;
	}
	return true;
}

bool texts_put(struct str text, const struct texts_new *list, size_t count, struct buf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (!buf_add(out, text.p + at, list[i].at - at) || !buf_str(out, list[i].text))
			return false;
		at = list[i].at + list[i].len;
	}
	return buf_add(out, text.p + at, text.n - at);
}

/* --- data --- */

/* Members that have data, which some provider decodes, and a member beside them by which they are known for it; its value is
 * NULL: any.  types: where its media type stands; NULL: nowhere. */
static const struct {
	const char *key, *beside, *value, *type;
} datums[] = {
	{ "data", "type", "base64", "media_type" },   { "data", "format", NULL, NULL },
	{ "data", "transcript", NULL, NULL },         { "file_data", NULL, NULL, NULL },
	{ "content", "format", "base64.png", NULL },  { "content", "format", "base64.jpeg", NULL },
	{ "content", "format", "base64.svg", NULL },  { "content", "format", "base64.gif", NULL },
	{ "content", "format", "base64.webp", NULL }, { "b64_json", NULL, NULL, NULL },
};

static bool texts_is_url(const struct json_doc *d, json_at object, json_at key)
{
	return texts_is_one_of(d, key, urls, ARRAY_LEN(urls)) ||
	       (json_is(d, key, "content") && json_get_is(d, object, "format", "url"));
}

/* texts_datum: what a member has as data; text: gets its text. */
static struct datum texts_datum(const struct json_doc *d, json_at object, json_at key,
				struct buf *text)
{
	struct str   s = json_inner(d, json_value(key));
	struct datum ret = { .is = DATUM_NOT };

	if (texts_is_url(d, object, key))
		ret = datum_url(s, text);
	for (size_t i = 0; ret.is == DATUM_NOT && i < ARRAY_LEN(datums); i++) {
		if (!json_is(d, key, datums[i].key))
			continue;
		if (datums[i].beside &&
		    !(datums[i].value ? json_get_is(d, object, datums[i].beside, datums[i].value)
				      : json_get_some(d, object, datums[i].beside) != JSON_ABSENT))
			continue;
		buf_clear(text);
		ret = datum_base64(
			s, datums[i].type ? json_get_inner(d, object, datums[i].type) : STR_NONE,
			text);
		break;
	}
	return ret;
}

/* kind_of_data: what a member is, of which texts_find says `kind`. */
static unsigned char kind_of_data(const struct json_doc *d, json_at object, json_at key,
				  unsigned char kind)
{
	struct buf   text;
	struct datum x;

	buf_init(&text, 2 * json_inner(d, json_value(key)).n + KIB);
	x = texts_datum(d, object, key, &text);
	buf_finish(&text);
	switch (x.is) {
	case DATUM_NOT:
	case DATUM_BYTES: break;
	case DATUM_TEXT: return x.word ? TEXTS_DATA_WORD : TEXTS_DATA;
	case DATUM_HIDDEN: return TEXTS_HIDDEN;
	}
	return kind;
}

unsigned char *texts_find_asked(const struct json_doc *d)
{
	unsigned char *ret = texts_find(d);

	for (json_at i = 0; ret && i < d->count; i++) {
		if (json_kind(d, i) != JSON_OBJECT)
			continue;
		JSON_EACH_MEMBER (key, d, i) {
			json_at value = json_value(key);

			if (ret[value] != TEXTS_NONE && json_kind(d, value) == JSON_STRING)
				ret[value] = kind_of_data(d, i, key, ret[value]);
		}
	}
	return ret;
}

const char texts_hidden[] =
	"hooks check the texts of this gateway's calls, and a file that should be a text is none in UTF-8, "
	"or its base64 can't be read";

bool texts_hides(const struct json_doc *d, const unsigned char *kinds)
{
	return memchr(kinds, TEXTS_HIDDEN, d->count) != NULL;
}

bool texts_data(const struct json_doc *d, json_at value, struct buf *out)
{
	struct buf text;
	json_at    object = value - 1; /* the key */

	/* The nearest object before it that does not end before it. */
	while (object > 0 && (json_kind(d, object) != JSON_OBJECT || d->tok[object].next <= value))
		object--;
	buf_init(&text, 2 * json_inner(d, value).n + KIB);
	bool ok = texts_datum(d, object, value - 1, &text).is == DATUM_TEXT &&
		  buf_json_escape(out, buf_view(&text));
	buf_finish(&text);
	return ok;
}

/* --- characters --- */

static uint32_t hex_value(const char *p)
{
	uint32_t v = 0;

	for (size_t i = 0; i < 4; i++)
		v = v << 4 | (uint32_t)hash_digit(p[i]);
	return v;
}

/* texts_letter: the character of an escape of one letter; none is of a word. */
static uint32_t texts_letter(char letter)
{
	static const char letters[] = "bfnrt", values[] = "\b\f\n\r\t";
	const char       *at = strchr(letters, letter);

	return (uint32_t)(at && *at ? values[at - letters] : letter);
}

/* character_of: the code point of a unit. */
static uint32_t character_of(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	uint32_t             v;

	if (u[0] == '\\')
		switch (n) {
		case 12:
			return 0x10000 +
			       ((hex_value(p + 2) & 0x3ff) << 10 | (hex_value(p + 8) & 0x3ff));
		case 6: return hex_value(p + 2);
		default: return texts_letter(p[1]);
		}
	v = n == 1 ? u[0] : n == 2 ? u[0] & 0x1fu : n == 3 ? u[0] & 0x0fu : u[0] & 0x07u;
	for (size_t i = 1; i < n; i++)
		v = v << 6 | (u[i] & 0x3fu);
	return v;
}

/* Scripts without spaces between words, and what is no letter, beyond ASCII. */
static const struct {
	uint32_t from, to;
} loose[] = {
	{ 0x0080, 0x00a9 },   { 0x00ab, 0x00b4 }, { 0x00b6, 0x00b9 }, { 0x00bb, 0x00bf },
	{ 0x0e00, 0x0eff },   { 0x1000, 0x109f }, { 0x1780, 0x17ff }, { 0x2000, 0x200b },
	{ 0x2010, 0x206f },   { 0x20a0, 0x20cf }, { 0x2190, 0x2bff }, { 0x2e00, 0x312f },
	{ 0x3190, 0xa4cf },   { 0xf900, 0xfaff }, { 0xfe10, 0xfe6f }, { 0xff00, 0xff0f },
	{ 0xff1a, 0xff20 },   { 0xff3b, 0xff40 }, { 0xff5b, 0xff9f }, { 0x1f000, 0x1faff },
	{ 0x20000, 0x3ffff },
};

static bool texts_is_letter(uint32_t v)
{
	if (v < 0x80)
		return is_word_byte((char)v);
	for (size_t i = 0; i < ARRAY_LEN(loose); i++)
		if (v >= loose[i].from && v <= loose[i].to)
			return false;
	return true;
}

size_t texts_count(struct str escaped)
{
	size_t n = 0;

	for (size_t at = 0; at < escaped.n; at += json_unit(escaped, at).bytes)
		n++;
	return n;
}

size_t texts_cut(struct str escaped, size_t overlap)
{
	size_t count = texts_count(escaped);
	size_t cut = 0;
	size_t n = 0;
	bool   before = false;

	if (count <= overlap)
		return 0;
	for (size_t at = 0; at < escaped.n && n <= count - overlap; n++) {
		size_t bytes = json_unit(escaped, at).bytes;
		bool   letter = texts_is_letter(character_of(escaped.p + at, bytes));

		if (!letter || !before)
			cut = at;
		before = letter;
		at += bytes;
	}
	return cut;
}

size_t texts_common(struct str text, struct str other)
{
	size_t at = 0, of = 0;

	while (at < text.n && of < other.n) {
		size_t bytes = json_unit(text, at).bytes;
		size_t others = json_unit(other, of).bytes;

		if (character_of(text.p + at, bytes) != character_of(other.p + of, others))
			break;
		at += bytes;
		of += others;
	}
	return at;
}

bool texts_same(struct str a, struct str b)
{
	return str_eq(a, b) || (texts_common(a, b) == a.n && texts_common(b, a) == b.n);
}

bool texts_half(struct str escaped)
{
	size_t last = 0;

	if (escaped.n < 6)
		return false;
	/* The last unit, from a place that is none only if it is within an escape. */
	for (size_t at = 0; at < escaped.n; at += json_unit(escaped, at).bytes)
		last = at;
	return escaped.n - last == 6 && escaped.p[last] == '\\' && escaped.p[last + 1] == 'u' &&
	       (hex_value(escaped.p + last + 2) & 0xfc00) == 0xd800;
}
