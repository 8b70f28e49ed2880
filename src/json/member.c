/* The key and the value of a member that stands alone. */
#include "json/member.h"

#include "base/utf8.h"
#include "json/internal.h"
#include "json/scan.h"

#include <string.h>

struct str json_member_key(struct str member)
{
	size_t n = 1;

	while (n < member.n && member.p[n] != '"')
		n += member.p[n] == '\\' ? 2 : 1;
	return n < member.n ? (struct str){ member.p + 1, n - 1 } : STR_NONE;
}

bool json_member_is(struct str member, struct str key)
{
	size_t n = 0;

	/* Nearly all keys differ in their first byte. */
	while (n < key.n && n + 1 < member.n && member.p[n + 1] == key.p[n])
		n++;
	if (n + 1 >= member.n)
		return false;
	if (member.p[n + 1] == '\\')
		return json_same(json_member_key(member), key);
	return n == key.n && member.p[n + 1] == '"';
}

/* member_colon: the colon between key and value; NULL: there is none. */
static const char *member_colon(struct str member)
{
	size_t skip = json_member_key(member).n + 2;

	return skip < member.n ? memchr(member.p + skip, ':', member.n - skip) : NULL;
}

static struct str member_behind(struct str member, const char *colon)
{
	return (struct str){ colon + 1, member.n - (size_t)(colon + 1 - member.p) };
}

struct str json_member_value(struct str member)
{
	const char *colon = member_colon(member);

	if (!colon)
		return STR_NONE;
	struct str value = member_behind(member, colon);
	while (value.n > 0 && (unsigned char)value.p[0] <= ' ')
		value = (struct str){ value.p + 1, value.n - 1 };
	return str_is(value, "null") ? STR_NONE : value;
}

/* is_value: whether the text is one JSON value; ret_kind: which. */
static bool is_value(struct json_doc *d, struct str text, enum json_kind *ret_kind)
{
	struct err e;
	enum errc  rc = json_scan(d, text.p, text.n, &json_limits_stored, &e);

	*ret_kind = rc == ERR_OK ? (enum json_kind)d->tok[0].kind : JSON_STRING;
	return rc == ERR_OK || rc == ERR_OVERLOADED;
}

bool json_member_is_one(struct str member)
{
	const char     *colon = member_colon(member);
	struct json_doc d = { 0 };
	enum json_kind  key = JSON_NULL;
	enum json_kind  value;
	bool            one = colon &&
		   is_value(&d, (struct str){ member.p, (size_t)(colon - member.p) }, &key) &&
		   key == JSON_STRING && is_value(&d, member_behind(member, colon), &value);

	json_doc_finish(&d);
	return one;
}

/* --- unit: Characters and escapes of JSON strings, and the places where a string may be cut. */

static struct json_unit escape_at(const char *p, size_t left)
{
	if (left < 2)
		return (struct json_unit){ left, false };
	if (p[1] != 'u' || left < 6)
		return (struct json_unit){ 2, strchr("ntrf", p[1]) != NULL };

	unsigned v = utf8_hex4(p + 2);
	if (v >= 0xD800 && v < 0xDC00 && left >= 12 && p[6] == '\\' && p[7] == 'u')
		return (struct json_unit){ 12, false };
	return (struct json_unit){ 6, v == ' ' || (v >= '\t' && v <= '\r') };
}

struct json_unit json_unit(struct str s, size_t at)
{
	const char   *p = s.p + at;
	size_t        left = s.n - at;
	unsigned char c = (unsigned char)*p;
	size_t        n = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

	if (c == '\\')
		return escape_at(p, left);
	return (struct json_unit){ n < left ? n : left, c == ' ' };
}

size_t json_cut(struct str s, size_t max)
{
	size_t at = 0;

	while (at < s.n) {
		size_t n = json_unit(s, at).bytes;

		if (at > 0 && at + n > max)
			break;
		at += n;
	}
	return at;
}
