/* Finds data, and the texts that are shown to others as they stand. */
#include "shape/gemini_texts.h"

#include "base/buf.h"
#include "lmc/media.h"
#include "shape/proto.h"

#include <stdlib.h>

/* --- data --- */

/* An object with data. */
struct datum {
	json_at  data, type; /* the last ones; JSON_ABSENT: there are none */
	uint32_t datas, types;
};

static struct datum datum_of(const struct json_doc *d, json_at object)
{
	struct datum ret = { .data = JSON_ABSENT, .type = JSON_ABSENT };

	JSON_EACH_MEMBER (k, d, object) {
		if (json_is(d, k, "data")) {
			ret.data = json_value(k);
			ret.datas++;
		} else if (proto_is(d, k, "mimeType")) {
			ret.type = json_value(k);
			ret.types++;
		}
	}
	return ret;
}

static enum gemini_mark datum_mark(const struct json_doc *d, const struct datum *x)
{
	enum gemini_mark ret = GEMINI_PLAIN;
	char             type[MEDIA_TYPE];
	struct buf       plain;

	if (x->datas != 1 || x->types != 1 || json_kind(d, x->data) != JSON_STRING ||
	    json_kind(d, x->type) != JSON_STRING)
		return GEMINI_PLAIN;
	/* Some languages escape the slash. */
	buf_init(&plain, MEDIA_TYPE * 6);
	if (json_unescape(json_inner(d, x->type), &plain) && media_type(buf_view(&plain), type) &&
	    !media_may_be_text(str_of(type)))
		ret = str_starts(str_of(type), STR("image/"))   ? GEMINI_IMAGE
		      : str_starts(str_of(type), STR("audio/")) ? GEMINI_SOUND
								: GEMINI_FILE;
	buf_finish(&plain);
	return ret;
}

static bool datum_hides(const struct json_doc *d, json_at object, bool inlined)
{
	struct datum x = datum_of(d, object);

	return x.datas > 0 && (inlined || x.types > 0) && datum_mark(d, &x) == GEMINI_PLAIN;
}

bool gemini_hides(const struct json_doc *d)
{
	for (json_at i = 0; i < d->count; i++) {
		if (json_kind(d, i) != JSON_OBJECT)
			continue;
		if (datum_hides(d, i, false))
			return true;
		JSON_EACH_MEMBER (k, d, i)
			if (proto_is(d, k, "inlineData") &&
			    json_kind(d, json_value(k)) == JSON_OBJECT &&
			    datum_hides(d, json_value(k), true))
				return true;
	}
	return false;
}

/* --- marks --- */

static void mark_part(const struct json_doc *d, json_at part, unsigned char *marks)
{
	if (json_kind(d, part) != JSON_OBJECT)
		return;
	JSON_EACH_MEMBER (k, d, part) {
		if (!proto_is(d, k, "inlineData") || json_kind(d, json_value(k)) != JSON_OBJECT)
			continue;
		struct datum     x = datum_of(d, json_value(k));
		enum gemini_mark mark = datum_mark(d, &x);

		if (mark != GEMINI_PLAIN)
			marks[x.data] = (unsigned char)mark;
	}
}

static void mark_parts(const struct json_doc *d, json_at object, unsigned char *marks)
{
	json_at parts = json_get_some(d, object, "parts");

	if (!proto_list(d, parts))
		return;
	for (json_at i = proto_first(d, parts); i != json_end(d, parts); i = json_next(d, i)) {
		json_at response = proto_get(d, i, "functionResponse");
		json_at within = json_get_some(d, response, "parts");

		mark_part(d, i, marks);
		if (response == JSON_ABSENT || !proto_list(d, within))
			continue;
		for (json_at k = proto_first(d, within); k != json_end(d, within);
		     k = json_next(d, k))
			mark_part(d, k, marks);
	}
}

/* alone_of: the only text of a content that is no thought; JSON_ABSENT: there is none, or the content has results of functions,
 * with which messages are joined. */
static json_at alone_of(const struct json_doc *d, json_at content)
{
	json_at parts = content != JSON_ABSENT ? json_get_some(d, content, "parts") : JSON_ABSENT;
	json_at ret = JSON_ABSENT;

	if (!proto_list(d, parts))
		return JSON_ABSENT;
	for (json_at i = proto_first(d, parts); i != json_end(d, parts); i = json_next(d, i)) {
		json_at text = json_get_some(d, i, "text");
		json_at thought = json_get(d, i, "thought");

		if (proto_get(d, i, "functionResponse") != JSON_ABSENT)
			return JSON_ABSENT;
		if (text == JSON_ABSENT || json_is_kind(d, thought, JSON_TRUE))
			continue;
		if (ret != JSON_ABSENT)
			return JSON_ABSENT;
		ret = text;
	}
	return ret;
}

static bool texts_are_models(const struct json_doc *d, json_at content)
{
	return json_get_is(d, content, "role", "model");
}

/* mark_contents: contents of the model that follow each other become one message. */
static void mark_contents(const struct json_doc *d, json_at contents, unsigned char *marks)
{
	bool before = false;

	if (!proto_list(d, contents))
		return;
	for (json_at i = proto_first(d, contents); i != json_end(d, contents);) {
		json_at next = json_next(d, i);
		bool    model = texts_are_models(d, i);
		bool    joined =
			model &&
			(before || (next != json_end(d, contents) && texts_are_models(d, next)));

		mark_parts(d, i, marks);
		marks[joined ? JSON_ABSENT : alone_of(d, i)] = GEMINI_ALONE;
		before = model;
		i = next;
	}
}

unsigned char *gemini_marks(const struct json_doc *d, json_at request)
{
	unsigned char *marks = calloc(d->count + 1, 1);

	if (!marks)
		return NULL;
	mark_contents(d, proto_get(d, request, "contents"), marks);
	if (!proto_twice(d, request, "systemInstruction"))
		marks[alone_of(d, proto_get(d, request, "systemInstruction"))] = GEMINI_ALONE;
	marks[0] = GEMINI_PLAIN; /* where nothing was found */
	return marks;
}
