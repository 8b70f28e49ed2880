/* provider/balance: which of a model's targets is next: smoothly by weight, and where two have waited for
 * the same, the one with fewer calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct balance_row {
	int64_t weight; /* from 1 */
	int64_t credit; /* how much it is owed */
	int64_t out;    /* calls that go on */
};

/* balance_pick: of the rows whose bit is in fit, at least one; books it, but for `out`.  Rows that
 * do not fit save no credit, or they were flooded when they are back. */
size_t balance_pick(struct balance_row *rows, size_t count, uint32_t fit);
