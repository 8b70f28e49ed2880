/* Characters and escapes of JSON strings, and the places where a string may be cut. */
#include "json/unit.h"

#include "base/utf8.h"

#include <string.h>

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
