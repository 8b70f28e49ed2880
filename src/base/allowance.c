/* Reads and prints the allowance of a key. All numbers are integers, so that no rounding occurs. */
#include "base/allowance.h"

#include "base/money.h"

enum { SECOND_US = 1000000 };

#define DAY_US      (INT64_C(86400) * SECOND_US)
#define WINDOW_MAX  (366 * DAY_US)
#define BUDGET_MOST (INT64_C(1000000000) * MONEY_ONE)

static const struct {
	char    name;
	int64_t us;
} units[] = { { 'd', DAY_US },
	      { 'h', 3600 * INT64_C(1000000) },
	      { 'm', 60 * SECOND_US },
	      { 's', SECOND_US } };

/* allowance_digits: reads one to ten digits, without a leading zero. */
static bool allowance_digits(struct str text, int64_t *ret)
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

	if (text.n < 2 || !allowance_digits((struct str){ text.p, text.n - 1 }, &v))
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

bool allowance_read_money(struct str text, int64_t *ret_nano)
{
	bool    padded = text.n > 1 && text.p[0] == '0' && text.p[1] != '.';
	int64_t nano;

	if (padded || !money_read_most(text, BUDGET_MOST, &nano) || nano == 0)
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
	char        text[MONEY_TEXT];
	const char *point = strchr(money_print(nano, text), '.');

	return buf_text(out, text) && buf_text(out, !point ? ".00" : point[2] ? "" : "0");
}
