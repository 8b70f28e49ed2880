/* What a key may use, from text and back; whole numbers throughout, so that no cent is lost. */
#include "base/allowance.h"

enum { SECOND_US = 1000000, PLACES = 9 };

#define DAY_US      (INT64_C(86400) * SECOND_US)
#define WINDOW_MAX  (366 * DAY_US)
#define NANO        INT64_C(1000000000)
#define UNITS_MAX   INT64_C(1000000000) /* with nano units within 64 bits */

static const struct {
	char    name;
	int64_t us;
} units[] = { { 'd', DAY_US }, { 'h', 3600 * INT64_C(1000000) }, { 'm', 60 * SECOND_US },
	      { 's', SECOND_US } };

/* digits: up to ten of them, no leading zero in front of another. */
static bool digits(struct str text, int64_t *ret)
{
	int64_t v = 0;

	if (text.n == 0 || text.n > 10 || (text.n > 1 && text.p[0] == '0'))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		v = v * 10 + (text.p[i] - '0');
	}
	*ret = v;
	return true;
}

bool allowance_read_time(struct str text, int64_t *ret_us)
{
	int64_t v;

	if (text.n < 2 || !digits((struct str){ text.p, text.n - 1 }, &v))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (units[i].name != text.p[text.n - 1])
			continue;
		if (v == 0 || v > WINDOW_MAX / units[i].us)
			return false;
		*ret_us = v * units[i].us;
		return true;
	}
	return false;
}

/* fraction: what stands behind the point, as nano units. */
static bool fraction(struct str text, int64_t *ret)
{
	int64_t v = 0;

	if (text.n == 0 || text.n > PLACES)
		return false;
	for (size_t i = 0; i < PLACES; i++) {
		char c = i < text.n ? text.p[i] : '0';

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	*ret = v;
	return true;
}

bool allowance_read_money(struct str text, int64_t *ret_nano)
{
	const char *point = text.n > 0 ? memchr(text.p, '.', text.n) : NULL;
	size_t      n = point ? (size_t)(point - text.p) : text.n;
	int64_t     whole;
	int64_t     rest = 0;

	if (!digits((struct str){ text.p, n }, &whole) || whole > UNITS_MAX)
		return false;
	if (point && !fraction((struct str){ point + 1, text.n - n - 1 }, &rest))
		return false;
	int64_t nano = whole * NANO + rest;
	if (nano == 0 || nano > UNITS_MAX * NANO)
		return false;
	*ret_nano = nano;
	return true;
}

bool allowance_put_time(struct buf *out, int64_t us)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (us >= units[i].us && us % units[i].us == 0)
			return buf_fmt(out, "%lld%c", (long long)(us / units[i].us), units[i].name);
	return buf_fmt(out, "%llds", (long long)(us / SECOND_US));
}

bool allowance_put_money(struct buf *out, int64_t nano)
{
	int64_t rest = nano % NANO;
	int     places = PLACES;

	while (places > 2 && rest % 10 == 0) {
		rest /= 10;
		places--;
	}
	return buf_fmt(out, "%lld.%0*lld", (long long)(nano / NANO), places, (long long)rest);
}
