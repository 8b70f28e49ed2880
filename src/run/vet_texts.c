/* See vet.h: the texts, each of which is asked about once, in how many places it may stand. */
#include "run/vet.h"

#include "base/hash.h"
#include "base/limits.h"
#include "guard/texts.h"
#include "json/member.h"

#include <stdlib.h>

void vet_free(struct vet *v)
{
	if (!v)
		return;
	free(v->sources);
	free(v->list);
	free(v->joins);
	free(v->parts);
	arena_finish(&v->made);
	free(v->seen);
	free(v->seen_index);
	free(v->now);
	buf_finish(&v->texts);
	buf_finish(&v->images);
	buf_finish(&v->tools);
	buf_finish(&v->instruction);
	buf_finish(&v->reason);
	buf_finish(&v->words);
	free(v);
}

struct vet *vet_new(void)
{
	struct vet *v = calloc(1, sizeof *v);

	if (!v)
		return NULL;
	arena_init(&v->made, LIMIT_UPSTREAM_ASK);
	buf_init(&v->texts, LIMIT_UPSTREAM_ASK);
	buf_init(&v->images, LIMIT_UPSTREAM_ASK);
	buf_init(&v->tools, LIMIT_UPSTREAM_ASK);
	buf_init(&v->instruction, LIMIT_UPSTREAM_ASK);
	buf_init(&v->reason, LIMIT_UPSTREAM_ASK);
	buf_init(&v->words, LIMIT_UPSTREAM_ASK);
	return v;
}

static bool seen_grow(struct vet *v)
{
	size_t      cap = v->seen_cap ? 2 * v->seen_cap : 64;
	struct str *seen = calloc(cap, sizeof *seen);
	size_t     *index = calloc(cap, sizeof *index);

	for (size_t i = 0; seen && index && i < v->seen_cap; i++) {
		if (!v->seen[i].p)
			continue;
		size_t at = (size_t)mix_str(MIX_BEGIN, v->seen[i]) & (cap - 1);
		while (seen[at].p)
			at = (at + 1) & (cap - 1);
		seen[at] = v->seen[i];
		index[at] = v->seen_index[i];
	}
	if (!seen || !index) {
		free(seen);
		free(index);
		return false;
	}
	free(v->seen);
	free(v->seen_index);
	v->seen = seen;
	v->seen_index = index;
	v->seen_cap = cap;
	return true;
}

/* seen_find: the place of a text in the table; .p is NULL there: it was not seen. */
static size_t seen_find(const struct vet *v, struct str text)
{
	size_t at = (size_t)mix_str(MIX_BEGIN, text) & (v->seen_cap - 1);

	while (v->seen[at].p && !str_eq(v->seen[at], text))
		at = (at + 1) & (v->seen_cap - 1);
	return at;
}

bool vet_text_of(struct vet *v, struct str text, size_t *ret)
{
	if (2 * v->seen_count >= v->seen_cap && !seen_grow(v))
		return false;
	size_t at = seen_find(v, text);
	if (!v->seen[at].p) {
		if (!buf_text(&v->texts, v->seen_count > 0 ? ",\"" : "\"") ||
		    !buf_str(&v->texts, text) || !buf_text(&v->texts, "\""))
			return false;
		v->seen[at] = text;
		v->seen_index[at] = v->seen_count++;
	}
	*ret = v->seen_index[at];
	return true;
}

/* vet_found: text: what is asked about, of a string at a place. */
static bool vet_found(struct vet *v, size_t at, size_t len, struct str text, bool data)
{
	struct found f = { .at = at, .len = len, .was = text, .data = data };

	if (v->count == v->cap) {
		size_t        cap = v->cap ? 2 * v->cap : 64;
		struct found *list = realloc(v->list, cap * sizeof *list);

		if (!list)
			return false;
		v->list = list;
		v->cap = cap;
	}
	if (!vet_text_of(v, text, &f.text))
		return false;
	v->list[v->count++] = f;
	return true;
}

static struct source *vet_source(struct vet *v, enum source_of of, size_t index, struct str json)
{
	if (v->source_count == v->source_cap) {
		size_t         cap = v->source_cap ? 2 * v->source_cap : 16;
		struct source *list = realloc(v->sources, cap * sizeof *list);

		if (!list)
			return NULL;
		v->sources = list;
		v->source_cap = cap;
	}
	v->sources[v->source_count] =
		(struct source){ .of = of, .index = index, .json = json, .first = v->count };
	return &v->sources[v->source_count++];
}

static bool vet_image(struct vet *v, struct str text)
{
	return buf_text(&v->images, v->images.len > 0 ? ",\"" : "\"") &&
	       buf_str(&v->images, text) && buf_text(&v->images, "\"");
}

/* vet_data: a string that has a text as data. */
static bool vet_data(struct vet *v, const struct json_doc *d, json_at i)
{
	struct str raw = json_inner(d, i), text = STR_NONE;
	struct buf out;

	buf_init(&out, LIMIT_UPSTREAM_ASK);
	bool ok = texts_data(d, i, &out) && (text = arena_str(&v->made, buf_view(&out))).p;
	buf_finish(&out);
	return ok && vet_found(v, d->tok[i].at + 1, raw.n, text, true);
}

/* vet_value: what a value of a scanned document has, in the bytes of its text. */
static bool vet_value(struct vet *v, const struct json_doc *d, json_at i, enum texts_kind kind)
{
	struct str raw = json_kind(d, i) == JSON_STRING ? json_inner(d, i) : STR_NONE;

	switch (kind) {
	case TEXTS_NONE: break;
	case TEXTS_TEXT: return vet_found(v, d->tok[i].at + 1, raw.n, raw, false);
	case TEXTS_MEDIA: return vet_image(v, raw);
	case TEXTS_DATA: return vet_data(v, d, i);
	case TEXTS_DATA_WORD:
		return vet_found(v, d->tok[i].at + 1, raw.n, raw, false) && vet_data(v, d, i);
	case TEXTS_HIDDEN: v->hidden = true; break;
	}
	return true;
}

/* vet_range: the strings among the values from..to.  place_of: gets the place of each text in vet's list, and 1. */
static bool vet_range(struct vet *v, struct source *s, const struct json_doc *d, json_at from,
		      json_at to, const unsigned char *kinds, uint32_t *place_of)
{
	bool ok = kinds && place_of;

	for (json_at i = from; ok && i < to; i++) {
		if (kinds[i] == TEXTS_TEXT)
			place_of[i] = (uint32_t)v->count + 1;
		ok = vet_value(v, d, i, (enum texts_kind)kinds[i]);
	}
	s->count = v->count - s->first;
	return ok;
}

/* vet_json: all texts of a JSON value. */
enum errc vet_add(struct vet *v, enum source_of of, size_t index, struct str json, struct err *e)
{
	struct json_doc d = { 0 };
	struct source  *s = vet_source(v, of, index, json);
	unsigned char  *kinds = NULL;
	uint32_t       *places = NULL;
	enum errc rc = s ? json_scan(&d, json.p, json.n, &json_limits_stored, e) : err_no_memory(e);

	if (rc == ERR_OK &&
	    (!(kinds = texts_find_asked(&d)) || !(places = calloc(d.count + 1, sizeof *places))))
		rc = err_no_memory(e);
	if (rc == ERR_OK &&
	    (!vet_range(v, s, &d, 0, d.count, kinds, places) || !vet_join(v, &d, places)))
		rc = err_no_memory(e);
	free(kinds);
	free(places);
	json_doc_finish(&d);
	return rc;
}

/* Members that the gateway itself answers, and tools, which are shown by option.  All other ones are shown, those too that
 * nobody knows: a model may read them. */
static const char *const unread[] = { "model", "tools" };

bool vet_is_unread(struct str member)
{
	for (size_t i = 0; i < ARRAY_LEN(unread); i++)
		if (json_member_is(member, str_of(unread[i])))
			return true;
	return false;
}

/* vet_object: the members of an object that a model may read. */
enum errc vet_add_object(struct vet *v, enum source_of of, const struct json_doc *d,
			 unsigned char *kinds, struct err *e)
{
	struct source *s = vet_source(v, of, 0, (struct str){ d->text, d->len });
	uint32_t      *places = calloc(d->count + 1, sizeof *places);
	bool           ok = kinds && s && places && json_kind(d, 0) == JSON_OBJECT;

	if (ok)
		JSON_EACH_MEMBER (key, d, 0)
			if (!vet_is_unread(json_member(d, key)) &&
			    !vet_range(v, s, d, json_value(key), d->tok[json_value(key)].next,
				       kinds, places)) {
				ok = false;
				break;
			}
	ok = ok && vet_join(v, d, places);
	free(kinds);
	free(places);
	return ok ? ERR_OK : err_no_memory(e);
}

size_t vet_find(const struct vet *v, struct str text)
{
	size_t at = v->seen_cap > 0 ? seen_find(v, text) : 0;

	return v->seen_cap > 0 && v->seen[at].p ? v->seen_index[at] : SIZE_MAX;
}

bool vet_keep_words(struct vet *v, const struct str *texts)
{
	size_t total = 0;

	for (size_t i = 0; i < v->seen_count; i++)
		total += texts[i].n;
	v->now = calloc(v->seen_count + 1, sizeof *v->now);
	if (!v->now || !buf_reserve(&v->words, total + 1))
		return false;
	for (size_t i = 0; i < v->seen_count; i++) {
		size_t at = v->words.len;

		if (!buf_str(&v->words, texts[i]))
			return false;
		v->now[i] = (struct str){ v->words.data + at, texts[i].n };
	}
	return true;
}
