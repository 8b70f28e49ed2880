/* budgets: what calls cost is settled and booked.  All run inside a transaction of the caller and return
 * an SQLite code. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/usage.h"

/* budgets_settle: ends the run's reservation and books what was used; nothing where the note says that there
 * was a reservation and it is gone: this was done before. */
int budgets_settle(struct conn *c, const struct usage_note *note) MUST_USE;
/* budgets_book: the day's sums alone. */
int budgets_book(struct conn *c, const struct usage_note *note, int64_t calls, int64_t estimated,
		 int64_t unpriced) MUST_USE;

/* Reservations whose calls nobody will settle cost a quarter of what was reserved: about what bytes make
 * in tokens.  budgets_next: the first run behind *run that has one; 0: none.  budgets_old: one that was
 * made before; 0: none.  budgets_guess: settles it so. */
int budgets_next(struct conn *c, int64_t *run) MUST_USE;
int budgets_old(struct conn *c, int64_t before_ms, int64_t *ret_run) MUST_USE;
int budgets_guess(struct conn *c, int64_t run, int64_t now_ms) MUST_USE;
