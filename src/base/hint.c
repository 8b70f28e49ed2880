/* The distance between two short names. */
#include "base/hint.h"

enum { LONGEST = 32, FAR = 3 };

static size_t hint_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char hint_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool hint_near(struct str written, struct str meant, size_t *ret_distance)
{
	/* Three rows of the table are enough, because a swap needs the row two steps back. */
	size_t row[3][LONGEST + 1];

	if (written.n == 0 || written.n > LONGEST || meant.n == 0 || meant.n > LONGEST)
		return false;
	for (size_t k = 0; k <= meant.n; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= written.n; i++) {
		size_t *now = row[i % 3];
		size_t *last = row[(i + 2) % 3];

		now[0] = i;
		for (size_t k = 1; k <= meant.n; k++) {
			char   a = hint_lower(written.p[i - 1]);
			char   b = hint_lower(meant.p[k - 1]);
			size_t d = hint_least(last[k - 1] + (a != b),
					      hint_least(last[k], now[k - 1]) + 1);

			if (i > 1 && k > 1 && a == hint_lower(meant.p[k - 2]) &&
			    b == hint_lower(written.p[i - 2]))
				d = hint_least(d, row[(i + 1) % 3][k - 2] + 1);
			now[k] = d;
		}
	}

	/* At most a third of the name may be wrong; without that rule "n" would be near to every
	 * short name. */
	size_t distance = row[written.n % 3][meant.n];
	if (distance > FAR || distance * 3 > meant.n)
		return false;
	*ret_distance = distance;
	return true;
}
