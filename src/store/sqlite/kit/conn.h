/* conn: a connection with its statements.  A statement is named by its text: it is prepared when it
 * is first asked for and stays, so that nothing has to be declared beside the operation that uses
 * it.
 *
 *     struct db_bind b = conn_bind(c, find_run);
 *
 *     db_bind_int(&b, run.key);
 *     int rc = db_bind_row(&b);
 *
 * A text that can't be prepared shows as b.rc.  Used by one thread at a time. */
#pragma once

#include "store/sqlite/kit/db.h"

enum {
	CONN_PLACES = 256
}; /* a power of two; twice as many as there are statements of one connection */

struct conn {
	sqlite3 *db; /* owned */
	bool     relaxed;
	int      rc; /* of the text that could not be prepared last */
	size_t   count;
	struct conn_place {
		const char *sql; /* NULL: free; compared as a pointer, so it must be a constant's */
		sqlite3_stmt *st;
	} places[CONN_PLACES];
};

/* conn_open: as db_open; c is to be closed also when that fails. */
enum errc conn_open(struct conn *c, const char *path, enum db_mode mode, int64_t busy_ms,
		    struct err *e) MUST_USE;
void      conn_close(struct conn *c); /* a zeroed one is fine */

/* conn_st: the statement of this text; NULL: it can't be prepared, and c->rc says why. */
sqlite3_stmt *conn_st(struct conn *c, const char *sql);
/* conn_bind: the same, reset, to have its parameters bound. */
struct db_bind conn_bind(struct conn *c, const char *sql);
/* conn_run, conn_row: of a text without parameters, as db_run and db_row. */
int conn_run(struct conn *c, const char *sql) MUST_USE;
int conn_row(struct conn *c, const char *sql, sqlite3_stmt **ret) MUST_USE;
/* conn_begin, conn_begin_write: a transaction that reads, of one moment; one that writes, and waits
 * for others that do.  conn_commit; conn_rollback: ends an open one, if any, without its
 * changes. */
int  conn_begin(struct conn *c) MUST_USE;
int  conn_begin_write(struct conn *c) MUST_USE;
int  conn_commit(struct conn *c) MUST_USE;
void conn_rollback(struct conn *c);
/* conn_relax: on: commits outlive the process, not a power cut, which the next one that is not
 * relaxed mends for all before it.  Between transactions. */
int conn_relax(struct conn *c, bool on) MUST_USE;
/* conn_reset: all statements that were left on a row. */
void conn_reset(struct conn *c);
