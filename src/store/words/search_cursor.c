/* Four numbers in hexadecimal digits. */
#include "store/words/search_cursor.h"

#include <stdio.h>

void search_cursor_print(const struct search_cursor *c, char ret[SEARCH_CURSOR + 1])
{
	snprintf(ret, SEARCH_CURSOR + 1, "%016llx%016llx%016llx%016llx",
		 (unsigned long long)c->query, (unsigned long long)c->top,
		 (unsigned long long)c->score, (unsigned long long)c->id);
}

static bool cursor_hex_digit(char c, uint64_t *v)
{
	if (c >= '0' && c <= '9')
		*v = *v << 4 | (uint64_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*v = *v << 4 | (uint64_t)(c - 'a' + 10);
	else
		return false;
	return true;
}

bool search_cursor_parse(struct str text, struct search_cursor *ret)
{
	uint64_t v[4] = { 0 };

	if (text.n != SEARCH_CURSOR)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!cursor_hex_digit(text.p[i], &v[i / 16]))
			return false;
	if (v[1] > INT64_MAX || v[2] > INT64_MAX || v[3] > INT64_MAX)
		return false;
	*ret = (struct search_cursor){ v[0], (int64_t)v[1], (int64_t)v[2], (int64_t)v[3] };
	return true;
}
