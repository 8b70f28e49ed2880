/* db: opens SQLite connections with Parley's settings, binds and steps statements, and says what
 * SQLite's result codes mean to Parley.  A connection is used by one thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum db_mode {
	DB_WRITE, /* sets up the file if it is new; commits are synced */
	DB_INDEX, /* the same for a file that is written in large pieces, and never made smaller */
	DB_READ,
	DB_LOOK /* may write, but only to recover from a crash; the file's settings stay */
};

/* db_open: *ret is owned (db_close).  busy_ms: how long a statement waits for locks.  Errors:
 * STORAGE, with a text for the operator. */
enum errc db_open(const char *path, enum db_mode mode, int64_t busy_ms, sqlite3 **ret,
		  struct err *e) MUST_USE;
void      db_close(sqlite3 *db);

/* db_prepare: prepares the n statements of a table; on failure none is left. */
enum errc db_prepare(sqlite3 *db, const char *const *sql, size_t n, sqlite3_stmt **ret,
		     struct err *e) MUST_USE;
void      db_finalize(sqlite3_stmt **st, size_t n);

/* db_run: steps a statement that gives no row, and resets it.  Returns SQLITE_OK or an error. */
int db_run(sqlite3_stmt *st) MUST_USE;
/* db_row: steps once.  SQLITE_ROW: the caller resets the statement after reading.  SQLITE_DONE or
 * an error: the statement is reset. */
int db_row(sqlite3_stmt *st) MUST_USE;
/* db_exec: runs SQL without parameters and results. */
int db_exec(sqlite3 *db, const char *sql) MUST_USE;
/* db_rollback: ends an open transaction, if any, without its changes. */
void db_rollback(sqlite3 *db);

/* Binds values in the order of the parameters; rc keeps the first failure.  Texts and blobs are not
 * copied: they are borrowed until the statement has run. */
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
/* db_bind_run, db_bind_row: db_run and db_row, or b->rc if a binding failed. */
int db_bind_run(struct db_bind *b) MUST_USE;
int db_bind_row(struct db_bind *b) MUST_USE;

/* Columns of the current row.  What db_column (text) and db_blob return is borrowed until the
 * statement is stepped or reset. */
int64_t    db_int(sqlite3_stmt *st, int column);
struct id  db_id(int64_t key, sqlite3_stmt *st, int secret_column);
struct str db_column(sqlite3_stmt *st, int column);
struct str db_blob(sqlite3_stmt *st, int column);

/* db_own_fault: whether the data of one job caused the code, and not the state of the database. */
bool db_own_fault(int rc);
/* db_reason: why the gateway can't use its database, as a clause ("its disk is full") that anybody
 * may read; static. */
const char *db_reason(int rc);
/* db_refuse: fills e with a text for the client, without paths and SQL. */
enum errc db_refuse(int rc, struct err *e);
/* db_problem: a text for the operator, cut to n bytes. */
void db_problem(sqlite3 *db, int rc, char *ret, size_t n);
/* db_fail: fills e with ERR_STORAGE and, for the operator: can't DOING the database PATH: … */
enum errc db_fail(sqlite3 *db, int rc, const char *path, const char *doing, struct err *e);

/* wal_file: gathers SQLite's writes to its write-ahead log.
 *
 * SQLite writes each page of a transaction with two calls: 24 bytes, and the page.  A VFS of ours
 * before the system's makes one write of 32 KiB of them.  They are in the file before anybody may look
 * for them there: SQLite syncs the log, or shows frames to other connections, only after a
 * transaction's last frame, which ends the gathering.  What is gathered never outlives the lock
 * under which it was written. */

/* wal_file_register: registers the VFS, once for the process, and returns its name for
 * sqlite3_open_v2; NULL, which stands for the system's own, if that fails. */
const char *wal_file_register(void);
