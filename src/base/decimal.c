/* Numbers as text. */
#include "base/money.h"

/* The digits are written backwards; after `places` of them comes the point, if there is one. */
static inline struct str decimal_put(int64_t v, int places, char *at)
{
	char *end = at + DECIMAL_MAX;
	char *p = end;
	/* The unsigned magnitude is used, because -INT64_MIN does not exist. */
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	for (int n = 0; n < places; n++, u /= 10)
		*--p = (char)('0' + u % 10);
	if (places > 0)
		*--p = '.';
	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u > 0);
	if (v < 0)
		*--p = '-';
	return (struct str){ p, (size_t)(end - p) };
}

struct str decimal_int(int64_t v, char at[DECIMAL_MAX])
{
	return decimal_put(v, 0, at);
}

struct str decimal_thousandths(int64_t v, char at[DECIMAL_MAX])
{
	return decimal_put(v, 3, at);
}
