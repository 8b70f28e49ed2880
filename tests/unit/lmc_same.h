/* Scanned JSON compared by what it says: members in any order, strings by their characters. */
#pragma once

#include "base/limits.h"
#include "json/scan.h"
#include "lmc/text.h"

static bool json_alike(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j);

static bool strings_alike(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j)
{
	struct buf one, two;

	buf_init(&one, 64 * MIB);
	buf_init(&two, 64 * MIB);
	bool same = text_of(a, i, &one) && text_of(b, j, &two) &&
		    str_eq(buf_view(&one), buf_view(&two));
	buf_finish(&one);
	buf_finish(&two);
	return same;
}

static bool arrays_alike(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j)
{
	json_at v = json_first(b, j);

	if (a->tok[i].count != b->tok[j].count)
		return false;
	JSON_EACH (u, a, i) {
		if (!json_alike(a, u, b, v))
			return false;
		v = json_next(b, v);
	}
	return true;
}

static bool has_member(const struct json_doc *a, json_at key, const struct json_doc *b, json_at j)
{
	JSON_EACH_MEMBER (v, b, j)
		if (strings_alike(a, key, b, v))
			return json_alike(a, json_value(key), b, json_value(v));
	return false;
}

static bool objects_alike(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j)
{
	if (a->tok[i].count != b->tok[j].count)
		return false;
	JSON_EACH_MEMBER (u, a, i)
		if (!has_member(a, u, b, j))
			return false;
	return true;
}

static bool json_alike(const struct json_doc *a, json_at i, const struct json_doc *b, json_at j)
{
	if (json_kind(a, i) != json_kind(b, j))
		return false;
	switch (json_kind(a, i)) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE: return true;
	case JSON_NUMBER: return str_eq(json_raw(a, i), json_raw(b, j));
	case JSON_STRING: return strings_alike(a, i, b, j);
	case JSON_ARRAY: return arrays_alike(a, i, b, j);
	case JSON_OBJECT: return objects_alike(a, i, b, j);
	}
	return false;
}
