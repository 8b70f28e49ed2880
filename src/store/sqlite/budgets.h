/* budgets: settles the reservations of calls, and books their usage.  All functions run inside the
 * caller's transaction, and return an SQLite code. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/usage.h"

/* budgets_settle: ends the run's reservation and books the usage.  If note->reserved is set but the
 * reservation does not exist, this was done before, and nothing happens. */
int budgets_settle(struct conn *c, const struct usage_note *note) MUST_USE;

/* Reservations whose calls are lost.  Such a call is booked with a quarter of its reservation,
 * about the number of tokens in the reserved number of bytes.
 *
 * budgets_next: moves *run to the next run above it that has a reservation; 0: there is none.
 * budgets_guess: settles the run's reservation in this way. */
int budgets_next(struct conn *c, int64_t *run) MUST_USE;
int budgets_guess(struct conn *c, int64_t run, int64_t now_ms) MUST_USE;
