/* conn: a connection and its statements.  The text of a statement is its name: the connection
 * prepares the statement at the first use and keeps it, so that only the operation that uses a
 * statement declares it.
 *
 *     struct db_bind b = conn_bind(c, find_run);
 *
 *     db_bind_int(&b, run.key);
 *     int rc = db_bind_row(&b);
 *
 * If the text can't be prepared, b.rc is the error, and the later calls return it.  Used by one
 * thread at a time. */
#pragma once

#include "store/sql/cell.h"
#include "store/sql/param.h"
#include "store/sqlite/kit/db.h"

enum { CONN_PLACES = 256 }; /* a power of two; twice as many as a connection has statements */

struct conn {
	sqlite3     *db;      /* owned */
	bool         relaxed; /* conn_relax */
	int          rc;      /* why the last text that could not be prepared could not be */
	size_t       count;   /* number of statements */
	struct param args;    /* for a shared operation's statement; kept for its memory */
	struct conn_place {
		const char   *sql; /* NULL: free; a constant, because its address is compared */
		sqlite3_stmt *st;  /* owned */
	} places[CONN_PLACES];
};

/* conn_open: as db_open; c must be closed even if this fails. */
enum errc conn_open(struct conn *c, const char *path, enum db_mode mode, int64_t busy_ms,
		    struct err *e) MUST_USE;
void      conn_close(struct conn *c); /* c may be all zero */

/* conn_st: the statement of this text, borrowed; NULL: it can't be prepared, and c->rc says why. */
sqlite3_stmt *conn_st(struct conn *c, const char *sql);
/* conn_bind: the statement of this text, reset, for binding its parameters. */
struct db_bind conn_bind(struct conn *c, const char *sql);
/* conn_run, conn_row: db_run and db_row of a text without parameters. */
int conn_run(struct conn *c, const char *sql) MUST_USE;
int conn_row(struct conn *c, const char *sql, sqlite3_stmt **ret) MUST_USE;
/* conn_begin: begins a transaction that reads the state of one moment.  conn_begin_write: waits for
 * other writers, and begins a transaction that writes.  conn_rollback: ends the open transaction,
 * if any, without its changes. */
int  conn_begin(struct conn *c) MUST_USE;
int  conn_begin_write(struct conn *c) MUST_USE;
int  conn_commit(struct conn *c) MUST_USE;
void conn_rollback(struct conn *c);
/* conn_relax: on: a commit survives the end of the process, but a power cut may take it; the next
 * commit that is not relaxed makes all earlier ones durable.  Only between transactions. */
int conn_relax(struct conn *c, bool on) MUST_USE;
/* conn_reset: resets all statements that were left on a row. */
void conn_reset(struct conn *c);

/* row: a statement's row, for the functions of cell.h. */

/* row_of: the row that st is on. */
struct row row_of(sqlite3_stmt *st);
