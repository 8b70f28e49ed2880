/* Smooth weighted round robin: weights 5, 1, 1 give the order a a b a c a a, not a a a a a b c. */
#include "provider/balance.h"

#include "base/base.h"

static bool balance_fits(uint32_t fit, size_t i)
{
	return fit >> i & 1;
}

static bool is_better(const struct balance_row *a, const struct balance_row *b)
{
	return a->credit > b->credit || (a->credit == b->credit && a->out < b->out);
}

/* After one session's thousand calls, a target must not go without others for as many. */
enum { CREDIT_ROUNDS = 16 };

size_t balance_pick(struct balance_row *rows, size_t count, uint32_t fit, size_t held)
{
	size_t  best = held;
	int64_t total = 0, whole = 0;

	for (size_t i = 0; i < count; i++) {
		whole += rows[i].weight;
		if (!balance_fits(fit, i))
			continue;
		rows[i].credit += rows[i].weight;
		total += rows[i].weight;
		if (held == count && (best == count || is_better(&rows[i], &rows[best])))
			best = i;
	}
	CHECK(best < count);
	rows[best].credit -= total;
	for (size_t i = 0; i < count; i++) {
		int64_t most = CREDIT_ROUNDS * whole;

		if (rows[i].credit > most || rows[i].credit < -most)
			rows[i].credit = rows[i].credit > 0 ? most : -most;
	}
	return best;
}
