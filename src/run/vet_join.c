/* See vet.h.  A word that a client cuts between two parts of a message is one for the model that reads them. */
#include "run/vet.h"

#include "base/limits.h"
#include "guard/texts.h"
#include "json/member.h"

#include <stdlib.h>

/* --- what stands one after the other --- */

static bool join_part(struct vet *v, size_t place)
{
	if (v->part_count == v->part_cap) {
		size_t  cap = v->part_cap ? 2 * v->part_cap : 16;
		size_t *list = realloc(v->parts, cap * sizeof *list);

		if (!list)
			return false;
		v->parts = list;
		v->part_cap = cap;
	}
	v->parts[v->part_count++] = place;
	return true;
}

static bool add_join(struct vet *v, const struct joined *j)
{
	if (v->join_count == v->join_cap) {
		size_t         cap = v->join_cap ? 2 * v->join_cap : 8;
		struct joined *list = realloc(v->joins, cap * sizeof *list);

		if (!list)
			return false;
		v->joins = list;
		v->join_cap = cap;
	}
	v->joins[v->join_count++] = *j;
	return true;
}

static struct found *part_of(const struct vet *v, const struct joined *j, size_t i)
{
	return &v->list[v->parts[j->first + i]];
}

/* text_of_part: the text of an element; JSON_ABSENT: it has none that goes on with those before it. */
static json_at text_of_part(const struct json_doc *d, json_at element)
{
	if (json_kind(d, element) != JSON_OBJECT ||
	    json_is_kind(d, json_get(d, element, "thought"), JSON_TRUE))
		return JSON_ABSENT;
	return json_get(d, element, "text");
}

static bool join_array(struct vet *v, const struct json_doc *d, json_at array,
		       const uint32_t *place_of)
{
	struct joined j = { .source = v->source_count - 1, .first = v->part_count };
	struct buf    whole;

	JSON_EACH (i, d, array) {
		json_at text = text_of_part(d, i);

		if (text != JSON_ABSENT && place_of[text] > 0 && !join_part(v, place_of[text] - 1))
			return false;
	}
	j.count = v->part_count - j.first;
	if (j.count < 2) {
		v->part_count = j.first;
		return true;
	}
	buf_init(&whole, LIMIT_UPSTREAM_ASK);
	bool ok = true;
	for (size_t i = 0; ok && i < j.count; i++)
		ok = buf_str(&whole, part_of(v, &j, i)->was);
	ok = ok && (j.was = arena_str(&v->made, buf_view(&whole))).p &&
	     vet_text_of(v, j.was, &j.text) && add_join(v, &j);
	buf_finish(&whole);
	return ok;
}

bool vet_join(struct vet *v, const struct json_doc *d, const uint32_t *place_of)
{
	for (json_at i = 0; i < d->count; i++)
		if (json_kind(d, i) == JSON_ARRAY && d->tok[i].count > 1 &&
		    !join_array(v, d, i, place_of))
			return false;
	return true;
}

/* --- what was changed --- */

/* The characters of a text: where each begins, and where the last one ends. */
struct units {
	size_t *at; /* owned */
	size_t  count;
};

static bool units_of(struct str text, struct units *ret)
{
	*ret = (struct units){ .at = calloc(text.n + 1, sizeof *ret->at) };
	for (size_t at = 0; ret->at && at < text.n; at += json_unit(text, at).bytes) {
		ret->at[ret->count++] = at;
		ret->at[ret->count] = text.n;
	}
	return ret->at;
}

static bool same_unit(struct str a, const struct units *in_a, size_t i, struct str b,
		      const struct units *in_b, size_t k)
{
	return str_eq((struct str){ a.p + in_a->at[i], in_a->at[i + 1] - in_a->at[i] },
		      (struct str){ b.p + in_b->at[k], in_b->at[k + 1] - in_b->at[k] });
}

/* parts_are_kept: whether the new parts make the new whole. */
static bool parts_are_kept(const struct vet *v, const struct joined *j, bool *ret_kept)
{
	struct buf whole;
	bool       ok = true;

	buf_init(&whole, LIMIT_UPSTREAM_ASK);
	for (size_t i = 0; ok && i < j->count; i++)
		ok = buf_str(&whole, v->now[part_of(v, j, i)->text]);
	*ret_kept = ok && texts_same(buf_view(&whole), v->now[j->text]);
	buf_finish(&whole);
	return ok;
}

/* cut_parts: the ends of the parts stay where the whole has not changed; what has, is of the first part that it is in.  Each
 * part gets a character at the least, because some providers refuse empty ones.  cuts: where each begins, in characters. */
static bool cut_parts(const struct vet *v, const struct joined *j, const struct units *was,
		      const struct units *now, size_t *cuts)
{
	struct str whole = v->now[j->text];
	size_t     front = 0, back = 0, at = 0, bytes = 0;
	size_t     least = was->count < now->count ? was->count : now->count;

	if (now->count < j->count)
		return false;
	while (front < least && same_unit(j->was, was, front, whole, now, front))
		front++;
	while (back < least - front &&
	       same_unit(j->was, was, was->count - back - 1, whole, now, now->count - back - 1))
		back++;
	for (size_t i = 0; i < j->count; i++) {
		while (at < was->count && was->at[at] < bytes)
			at++;
		cuts[i] = at <= front               ? at
			  : was->count - at <= back ? now->count - (was->count - at)
						    : now->count - back;
		bytes += part_of(v, j, i)->was.n;
		if (i > 0 && cuts[i] <= cuts[i - 1])
			cuts[i] = cuts[i - 1] + 1;
		if (cuts[i] > now->count - (j->count - i))
			cuts[i] = now->count - (j->count - i);
	}
	cuts[j->count] = now->count;
	return true;
}

static bool split_whole(const struct vet *v, const struct joined *j)
{
	struct str   whole = v->now[j->text];
	struct units was = { 0 }, now = { 0 };
	size_t      *cuts = calloc(j->count + 1, sizeof *cuts);
	bool         ok = cuts && units_of(j->was, &was) && units_of(whole, &now) &&
		  cut_parts(v, j, &was, &now, cuts);

	for (size_t i = 0; ok && i < j->count; i++)
		part_of(v, j, i)->part = (struct str){ whole.p + now.at[cuts[i]],
						       now.at[cuts[i + 1]] - now.at[cuts[i]] };
	free(was.at);
	free(now.at);
	free(cuts);
	return ok;
}

/* can_split: whether every place gets the new text: what was made of the client's own words must have the same parts, or else a
 * new whole of its own, which is then sent in their place. */
static bool can_split(const struct vet *v, const struct joined *j)
{
	if (v->sources[j->source].of != OF_NATIVE)
		return true;
	for (size_t i = 0; i < v->join_count; i++)
		if (v->joins[i].text == j->text && v->sources[v->joins[i].source].of == OF_MESSAGE)
			return true;
	return !vet_whole_stays(v, v->parts[j->first]);
}

bool vet_split(struct vet *v)
{
	for (size_t i = 0; i < v->join_count; i++) {
		const struct joined *j = &v->joins[i];
		bool                 kept;

		if (texts_same(j->was, v->now[j->text]))
			continue;
		if (!parts_are_kept(v, j, &kept) ||
		    (!kept && !(can_split(v, j) && split_whole(v, j))))
			return false;
	}
	return true;
}
