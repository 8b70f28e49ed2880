/* Reads the tape of a scan: members by key, and the values of scalars. */
#include "json/internal.h"

#include <math.h>
#include <stdlib.h>

static bool has_value(const struct json_doc *d, json_at i, struct str text)
{
	struct str inner = json_inner(d, i);

	return d->tok[i].flags & JSON_ESCAPED ? json_same(inner, text) : str_eq(inner, text);
}

json_at json_get_str(const struct json_doc *d, json_at obj, struct str key)
{
	if (d->count == 0 || json_kind(d, obj) != JSON_OBJECT)
		return JSON_ABSENT;
	JSON_EACH_MEMBER (i, d, obj)
		if (has_value(d, i, key))
			return json_value(i);
	return JSON_ABSENT;
}

json_at json_get_some(const struct json_doc *d, json_at obj, const char *key)
{
	json_at i = json_get(d, obj, key);

	return i != JSON_ABSENT && json_kind(d, i) == JSON_NULL ? JSON_ABSENT : i;
}

struct str json_get_inner(const struct json_doc *d, json_at obj, const char *key)
{
	return json_inner_of(d, json_get(d, obj, key));
}

bool json_get_is(const struct json_doc *d, json_at obj, const char *key, const char *text)
{
	json_at i = json_get(d, obj, key);

	return i != JSON_ABSENT && json_is(d, i, text);
}

bool json_is_str(const struct json_doc *d, json_at i, struct str text)
{
	return json_kind(d, i) == JSON_STRING && has_value(d, i, text);
}

/* Tokens are in the order of the text. */
json_at json_spanned(const struct json_doc *d, struct str raw)
{
	uint32_t from = 1;
	uint32_t to = d->count;

	if (d->count == 0 || raw.p < d->text || raw.p >= d->text + d->len)
		return JSON_ABSENT;

	size_t at = (size_t)(raw.p - d->text);
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (d->tok[mid].at < at)
			from = mid + 1;
		else
			to = mid;
	}
	return from < d->count && d->tok[from].at == at && d->tok[from].len == raw.n ? from
										     : JSON_ABSENT;
}

bool json_int(const struct json_doc *d, json_at i, int64_t *ret)
{
	if (json_kind(d, i) != JSON_NUMBER || !(d->tok[i].flags & JSON_INTEGER))
		return false;

	struct str raw = json_raw(d, i);
	bool       negative = raw.p[0] == '-';
	/* The smallest integer has a magnitude that is one more than that of the largest. */
	uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	uint64_t v = 0;

	for (size_t k = negative ? 1 : 0; k < raw.n; k++) {
		uint64_t digit = (uint64_t)(raw.p[k] - '0');

		if (v > (most - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool json_number(const struct json_doc *d, json_at i, double *ret)
{
	/* strtod needs a terminated copy; no parameter of a request needs more digits than this. */
	char text[512];

	if (json_kind(d, i) != JSON_NUMBER)
		return false;

	struct str raw = json_raw(d, i);
	if (raw.n >= sizeof text)
		return false;
	memcpy(text, raw.p, raw.n);
	text[raw.n] = '\0';

	double v = strtod(text, NULL);
	if (!isfinite(v))
		return false;
	*ret = v;
	return true;
}
