/* provider/balance: chooses the next target of a model: smoothly by weight, and among targets that are equally
 * due, the one with fewer running calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct balance_row {
	int64_t weight; /* from 1 */
	int64_t credit; /* grows with each choice by weight; the chosen row pays all weights */
	int64_t out;    /* running calls */
};

/* balance_pick: chooses one of the rows whose bit is in fit (at least one), and books the
 * choice, except for `out`. Other rows save no credit, because they would be flooded with calls
 * when they are back. held: the row that is chosen; count: none is, and the credit decides.  Either is
 * booked, so that the calls without a session make up for what those with one leave uneven. */
size_t balance_pick(struct balance_row *rows, size_t count, uint32_t fit, size_t held);
