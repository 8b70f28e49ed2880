/* Writes sums of usage, and settles reservations whose calls are lost. */
#include "store/sqlite/chores.h"

#include "base/clock.h"
#include "store/sqlite/budgets.h"

/* No call lasts this long, so an older reservation has lost its call. */
#define RESERVATION_MS ((int64_t)24 * 60 * 60 * 1000)

static int books_book(void *arg, const struct usage_sum *sum)
{
	return budgets_book(arg, &sum->note, sum->calls, sum->estimated, sum->unpriced);
}

static int settle_old(struct conn *c)
{
	int64_t now_ms = clock_wall_ms();
	int64_t run = 0;
	int     rc = budgets_old(c, now_ms - RESERVATION_MS, &run);

	while (rc == SQLITE_OK && run != 0) {
		rc = budgets_guess(c, run, now_ms);
		if (rc == SQLITE_OK)
			rc = budgets_old(c, now_ms - RESERVATION_MS, &run);
	}
	return rc;
}

static bool books_wanted(const struct books *b)
{
	int64_t run = 0;

	return usage_gather_any(b->usage) ||
	       (budgets_old(b->conn, clock_wall_ms() - RESERVATION_MS, &run) == SQLITE_OK &&
		run != 0);
}

/* A power failure loses the sums of the last second, but no reservation. */
static int keep_books(void *books, int64_t *ret_again_ms)
{
	const struct books *b = books;
	struct conn        *conn = b->conn;

	*ret_again_ms = BOOKS_REST_MS;
	if (!books_wanted(b))
		return SQLITE_OK;
	int rc = conn_begin_write(conn);
	if (rc == SQLITE_OK)
		rc = usage_gather_flush(b->usage, books_book, conn);
	if (rc == SQLITE_OK && !atomic_load(b->quiesced))
		rc = settle_old(conn);
	if (rc == SQLITE_OK)
		rc = conn_commit(conn);
	if (rc != SQLITE_OK)
		conn_rollback(conn);
	usage_gather_done(b->usage, rc == SQLITE_OK);
	return rc;
}

const struct chore chore_books = {
	.run = keep_books,
	.event = "usage_failed",
	.failed = "what was used could not be written yet",
	.retry_ms = BOOKS_MS,
	.last = true,
};
