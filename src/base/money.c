/* Reads and prints decimals with nine places as integers. */
#include "base/money.h"

#include <stdio.h>

enum { MONEY_PLACES = 9, MONEY_DIGITS = 64 };

/* --- decimal: Numbers as text. */

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

static bool money_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool money_read_most(struct str text, int64_t most, int64_t *ret)
{
	int64_t v = 0;
	int64_t unit = MONEY_ONE;
	size_t  i = 0;

	for (; i < text.n && money_digit(text.p[i]); i++) {
		if (v > most / 10)
			return false;
		v = v * 10 + (text.p[i] - '0') * MONEY_ONE;
	}
	if (i == 0)
		return false;
	if (i < text.n && text.p[i] == '.' && i + 1 < text.n)
		for (i++; i < text.n && money_digit(text.p[i]) && unit > 1; i++) {
			unit /= 10;
			v += (text.p[i] - '0') * unit;
		}
	if (i < text.n || v > most)
		return false;
	*ret = v;
	return true;
}

bool money_read(struct str text, int64_t *ret)
{
	return money_read_most(text, MONEY_MOST, ret);
}

/* exponent_of: what follows the digits of a number. */
static bool exponent_of(struct str text, int *ret)
{
	size_t i = 1;
	bool   minus = text.n > 1 && text.p[1] == '-';
	int    v = 0;

	if (text.n == 0)
		return true;
	if (text.p[0] != 'e' && text.p[0] != 'E')
		return false;
	i += text.n > 1 && (minus || text.p[1] == '+');
	if (i == text.n || text.n - i > 3)
		return false;
	for (; i < text.n; i++) {
		if (!money_digit(text.p[i]))
			return false;
		v = v * 10 + (text.p[i] - '0');
	}
	*ret += minus ? -v : v;
	return true;
}

bool money_number(struct str text, int tens, int64_t *ret)
{
	char   digits[MONEY_DIGITS];
	int    n = 0, power = tens + MONEY_PLACES; /* the last digit's */
	size_t i = 0;
	bool   point = false;

	for (; i < text.n && (money_digit(text.p[i]) || (text.p[i] == '.' && !point && i > 0));
	     i++) {
		if (text.p[i] == '.') {
			point = true;
			continue;
		}
		power -= point;
		if (n == 0 && text.p[i] == '0')
			continue;
		if (n == MONEY_DIGITS)
			return false;
		digits[n++] = text.p[i];
	}
	if (i == 0 || text.p[i - 1] == '.' ||
	    !exponent_of((struct str){ text.p + i, text.n - i }, &power))
		return false;

	int64_t v = 0;
	for (int k = 0; k < n + power; k++) {
		v = v * 10 + (k < n ? digits[k] - '0' : 0);
		if (v > MONEY_MOST)
			return false;
		if (v == 0 && k >= n)
			break;
	}
	if (n + power >= 0 && n + power < n && digits[n + power] >= '5')
		v++;
	*ret = v;
	return v <= MONEY_MOST;
}

const char *money_print(int64_t nano, char ret[MONEY_TEXT])
{
	int n = snprintf(ret, MONEY_TEXT, "%lld.%09lld", (long long)(nano / MONEY_ONE),
			 (long long)(nano % MONEY_ONE));

	while (n > 0 && ret[n - 1] == '0')
		ret[--n] = '\0';
	if (n > 0 && ret[n - 1] == '.')
		ret[--n] = '\0';
	return ret;
}

int64_t money_add(int64_t a, int64_t b)
{
	return a > MONEY_MOST - b ? MONEY_MOST : a + b;
}
