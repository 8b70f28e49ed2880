/* db: SQLite connections opened the way Parley wants them, small helpers around statements, and
 * what SQLite's result codes mean to us.  A connection is used by one thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum db_mode {
	DB_WRITE, /* makes the file's settings if it is new; commits are fsynced */
	DB_READ,
	DB_LOOK /* leaves the file's settings as they are, and sets right what a crash left */
};

/* db_open: *ret is owned, to be closed with db_close.  Errors: STORAGE, for the operator. */
enum errc db_open(const char *path, enum db_mode mode, int64_t busy_ms, sqlite3 **ret,
		  struct err *e) MUST_USE;
void      db_close(sqlite3 *db);

/* db_prepare: all statements of a table; on failure none is left. */
enum errc db_prepare(sqlite3 *db, const char *const *sql, size_t n, sqlite3_stmt **ret,
		     struct err *e) MUST_USE;
void      db_finalize(sqlite3_stmt **st, size_t n);

/* db_run: steps a statement that gives no row and resets it; SQLITE_OK or an error. */
int db_run(sqlite3_stmt *st) MUST_USE;
/* db_row: steps once.  SQLITE_ROW (the caller resets after reading), SQLITE_DONE or an error (both
 * reset already). */
int db_row(sqlite3_stmt *st) MUST_USE;
/* db_exec: SQL without parameters or results. */
int db_exec(sqlite3 *db, const char *sql) MUST_USE;
/* db_rollback: ends an open transaction, if any, without its changes. */
void db_rollback(sqlite3 *db);

/* Binding in the order of the parameters; the first failure stays in rc.  Spans are not copied:
 * they must live until the statement was run. */
struct db_bind {
	sqlite3_stmt *st;
	int           at;
	int           rc;
};
static inline struct db_bind db_bind(sqlite3_stmt *st)
{
	return (struct db_bind){ .st = st };
}
void db_bind_int(struct db_bind *b, int64_t v);
void db_bind_secret(struct db_bind *b, uint64_t secret);
void db_bind_null(struct db_bind *b);
void db_bind_text(struct db_bind *b, struct str s);  /* empty stays empty */
void db_bind_maybe(struct db_bind *b, struct str s); /* empty becomes NULL */
void db_bind_blob(struct db_bind *b, struct str s);
/* db_bind_run: db_run, unless a binding failed. */
int db_bind_run(struct db_bind *b) MUST_USE;
int db_bind_row(struct db_bind *b) MUST_USE;

/* Columns.  db_column, db_blob: borrowed until the statement moves on. */
int64_t    db_int(sqlite3_stmt *st, int column);
struct id  db_id(int64_t key, sqlite3_stmt *st, int secret_column);
struct str db_column(sqlite3_stmt *st, int column);
struct str db_blob(sqlite3_stmt *st, int column);

/* db_own_fault: the code speaks of one job's data, not of the database's state. */
bool db_own_fault(int rc);
/* db_reason: what anybody may be told of a failure, behind "because"; static. */
const char *db_reason(int rc);
/* db_refuse: fills e with what a client is told: no paths, no SQL. */
enum errc db_refuse(int rc, struct err *e);
/* db_problem: what the operator is told, cut to n. */
void db_problem(sqlite3 *db, int rc, char *ret, size_t n);
/* db_fail: ERR_STORAGE with what the operator is told, for opening and migrating. */
enum errc db_fail(sqlite3 *db, int rc, const char *path, const char *doing, struct err *e);
