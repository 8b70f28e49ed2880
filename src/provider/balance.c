/* Smooth weighted round robin: weights 5, 1, 1 give the order a a b a c a a, not a a a a a b c. */
#include "provider/balance.h"

#include "base/base.h"

#include <stdbool.h>

static bool balance_fits(uint32_t fit, size_t i)
{
	return fit >> i & 1;
}

static bool is_better(const struct balance_row *a, const struct balance_row *b)
{
	return a->credit > b->credit || (a->credit == b->credit && a->out < b->out);
}

size_t balance_pick(struct balance_row *rows, size_t count, uint32_t fit)
{
	size_t  best = count;
	int64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (!balance_fits(fit, i))
			continue;
		rows[i].credit += rows[i].weight;
		total += rows[i].weight;
		if (best == count || is_better(&rows[i], &rows[best]))
			best = i;
	}
	CHECK(best < count);
	rows[best].credit -= total;
	return best;
}
