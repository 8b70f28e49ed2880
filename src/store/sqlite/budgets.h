/* budgets: the statements that reserve, settle and book what calls cost.  All run inside a transaction
 * of the caller and return an SQLite code. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum budgets_sql {
	BUDGETS_SQL_RESERVE,
	BUDGETS_SQL_ADD,
	BUDGETS_SQL_LEFT,
	BUDGETS_SQL_TAKE,
	BUDGETS_SQL_SPEND,
	BUDGETS_SQL_USED,
	BUDGETS_SQL_NEXT,
	BUDGETS_SQL_OLD,
	BUDGETS_SQL_GUESS,
	BUDGETS_SQL__COUNT
};

struct budgets {
	sqlite3_stmt *st[BUDGETS_SQL__COUNT];
};

enum errc budgets_prepare(struct budgets *b, sqlite3 *db, struct err *e) MUST_USE;
void      budgets_finish(struct budgets *b);

/* budgets_reserve: refused with e->code; then nothing is written. */
int budgets_reserve(struct budgets *b, const struct budget_reserve *j, struct err *e) MUST_USE;
/* budgets_settle: ends the run's reservation and books what was used; nothing where the note says that there
 * was a reservation and it is gone: this was done before. */
int budgets_settle(struct budgets *b, const struct usage_note *note) MUST_USE;
/* budgets_book: the day's sums alone. */
int budgets_book(struct budgets *b, const struct usage_note *note, int64_t calls,
                 int64_t estimated, int64_t unpriced) MUST_USE;

/* Reservations whose calls nobody will settle cost a quarter of what was reserved: about what bytes make
 * in tokens.  budgets_next: the first run behind *run that has one; 0: none.  budgets_old: one that was
 * made before; 0: none.  budgets_guess: settles it so. */
int budgets_next(struct budgets *b, int64_t *run) MUST_USE;
int budgets_old(struct budgets *b, int64_t before_ms, int64_t *ret_run) MUST_USE;
int budgets_guess(struct budgets *b, int64_t run, int64_t now_ms) MUST_USE;
