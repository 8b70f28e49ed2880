/* The key and the value of a member that stands alone. */
#include "json/member.h"

#include "json/internal.h"

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

struct str json_member_value(struct str member)
{
	size_t      skip = json_member_key(member).n + 2;
	const char *colon = skip < member.n ? memchr(member.p + skip, ':', member.n - skip) : NULL;

	if (!colon)
		return STR_NONE;
	struct str value = { colon + 1, member.n - (size_t)(colon + 1 - member.p) };
	while (value.n > 0 && (unsigned char)value.p[0] <= ' ')
		value = (struct str){ value.p + 1, value.n - 1 };
	return str_is(value, "null") ? STR_NONE : value;
}
