/* Opening a connection, statements, and the meaning of result codes. */
#include "store/sqlite/kit/db.h"

#include "base/limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	/* Measured on the turns of this schema: a lone turn writes ten pages to the log, so with 4 KB
	 * it takes 15 % less CPU than with 8; in batches, and with messages of 20 KB, both cost the
	 * same.  A database that was made with 8 KB keeps them. */
	PAGE_BYTES = 4096,
	/* The search index is written in batches: with 16 KB it takes 13 % less CPU than with 4, and
	 * with 64 KB not much less again.  An index that was made with 4 KB keeps them. */
	PAGE_BYTES_INDEX = 16384,
	/* Keys are times, so a writer works at the right edges of its trees.  With 8 MiB, a thousand
	 * streams took 7 MiB more, and a turn as many instructions; with 1 MiB, turns of 20 KB cost
	 * 4 % more. */
	CACHE_KIB_WRITE = 1536,
	CACHE_KIB_READ = 2048,
	LOG_KEEP_BYTES = 64 * 1024 * 1024, /* the log file shrinks to this after a burst */
};

static const char *vfs_name;

static void configure_once(void)
{
	/* Without its statistics SQLite's allocator needs no global lock. */
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* Otherwise each connection touches 20 pages before it reads one. */
	(void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	(void)sqlite3_initialize();
	vfs_name = wal_file_register();
}

static void set_limits(sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)LIMIT_STORE_ROW);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 64);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

static int harden_database(sqlite3 *db)
{
	int rc = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	return rc;
}

static int db_pragma(sqlite3 *db, const char *name, int64_t value)
{
	char sql[80];

	snprintf(sql, sizeof sql, "PRAGMA %s = %lld", name, (long long)value);
	return db_exec(db, sql);
}

/* On some file systems a write-ahead log can't be shared by processes; SQLite then keeps its old
 * mode and returns that mode's name. */
static int enter_wal(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		rc = str_is(db_column(st, 0), "wal") ? SQLITE_OK : SQLITE_PROTOCOL;
	sqlite3_finalize(st);
	return rc;
}

/* page_size and auto_vacuum take effect only before the first table is made, and before the journal
 * mode is set. */
static int set_up(sqlite3 *db, enum db_mode mode)
{
	bool writes = mode == DB_WRITE || mode == DB_INDEX;
	int  rc = harden_database(db);

	if (rc == SQLITE_OK && writes)
		rc = db_pragma(db, "page_size", mode == DB_INDEX ? PAGE_BYTES_INDEX : PAGE_BYTES);
	if (rc == SQLITE_OK && mode == DB_WRITE)
		rc = db_exec(db, "PRAGMA auto_vacuum = INCREMENTAL");
	if (rc == SQLITE_OK && writes)
		rc = enter_wal(db);
	if (rc == SQLITE_OK && writes)
		rc = db_pragma(db, "journal_size_limit", LOG_KEEP_BYTES);
	if (rc == SQLITE_OK)
		rc = db_exec(db, "PRAGMA synchronous = FULL");
	if (rc == SQLITE_OK)
		rc = db_pragma(db, "wal_autocheckpoint", 0);
	if (rc == SQLITE_OK)
		rc = db_pragma(db, "cache_size", writes ? -CACHE_KIB_WRITE : -CACHE_KIB_READ);
	/* No mmap: if another program cut the file short, SIGBUS would end this process. */
	if (rc == SQLITE_OK)
		rc = db_pragma(db, "mmap_size", 0);
	return rc;
}

enum errc db_open(const char *path, enum db_mode mode, int64_t busy_ms, sqlite3 **ret,
		  struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int      flags = mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	sqlite3 *db = NULL;

	pthread_once(&once, configure_once);

	int rc = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, vfs_name);
	if (rc == SQLITE_OK) {
		(void)sqlite3_extended_result_codes(db, 1);
		rc = sqlite3_busy_timeout(db, busy_ms > INT32_MAX ? INT32_MAX : (int)busy_ms);
	}
	if (rc == SQLITE_OK) {
		set_limits(db);
		rc = set_up(db, mode);
	}
	if (rc != SQLITE_OK) {
		enum errc code = db_fail(db, rc, path, "open", e);

		db_close(db);
		return code;
	}
	*ret = db;
	return ERR_OK;
}

void db_close(sqlite3 *db)
{
	(void)sqlite3_close_v2(db);
}

enum errc db_prepare(sqlite3 *db, const char *const *sql, size_t n, sqlite3_stmt **ret,
		     struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = NULL;
		int rc = sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &ret[i],
					    NULL);

		if (rc != SQLITE_OK) {
			db_fail(db, rc, sqlite3_db_filename(db, "main"), "prepare statements for",
				e);
			db_finalize(ret, i);
			return e->code;
		}
	}
	return ERR_OK;
}

void db_finalize(sqlite3_stmt **st, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)sqlite3_finalize(st[i]);
		st[i] = NULL;
	}
}

int db_run(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);
	int reset = sqlite3_reset(st);

	if (rc == SQLITE_DONE || rc == SQLITE_ROW)
		return reset;
	return rc;
}

int db_row(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	if (rc != SQLITE_ROW)
		(void)sqlite3_reset(st);
	return rc;
}

int db_exec(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

void db_rollback(sqlite3 *db)
{
	/* Some failures end the transaction by themselves. */
	if (!sqlite3_get_autocommit(db))
		(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}

static void keep_first(struct db_bind *b, int rc)
{
	if (b->rc == SQLITE_OK)
		b->rc = rc;
}

void db_bind_int(struct db_bind *b, int64_t v)
{
	keep_first(b, sqlite3_bind_int64(b->st, ++b->at, v));
}

void db_bind_secret(struct db_bind *b, uint64_t secret)
{
	db_bind_int(b, (int64_t)secret);
}

void db_bind_null(struct db_bind *b)
{
	keep_first(b, sqlite3_bind_null(b->st, ++b->at));
}

void db_bind_text(struct db_bind *b, struct str s)
{
	const char *p = s.n > 0 ? s.p : "";

	keep_first(b, sqlite3_bind_text64(b->st, ++b->at, p, s.n, SQLITE_STATIC, SQLITE_UTF8));
}

void db_bind_maybe(struct db_bind *b, struct str s)
{
	if (s.n == 0)
		db_bind_null(b);
	else
		db_bind_text(b, s);
}

void db_bind_blob(struct db_bind *b, struct str s)
{
	const char *p = s.n > 0 ? s.p : "";

	keep_first(b, sqlite3_bind_blob64(b->st, ++b->at, p, s.n, SQLITE_STATIC));
}

int db_bind_run(struct db_bind *b)
{
	return b->rc == SQLITE_OK ? db_run(b->st) : b->rc;
}

int db_bind_row(struct db_bind *b)
{
	return b->rc == SQLITE_OK ? db_row(b->st) : b->rc;
}

int64_t db_int(sqlite3_stmt *st, int column)
{
	return sqlite3_column_int64(st, column);
}

struct id db_id(int64_t key, sqlite3_stmt *st, int secret_column)
{
	return (struct id){ key, (uint64_t)db_int(st, secret_column) };
}

struct str db_column(sqlite3_stmt *st, int column)
{
	const char *p = (const char *)sqlite3_column_text(st, column);
	int         n = sqlite3_column_bytes(st, column);

	return (struct str){ p, n > 0 ? (size_t)n : 0 };
}

struct str db_blob(sqlite3_stmt *st, int column)
{
	const char *p = sqlite3_column_blob(st, column);
	int         n = sqlite3_column_bytes(st, column);

	return (struct str){ p, n > 0 ? (size_t)n : 0 };
}

bool db_own_fault(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_CONSTRAINT:
	case SQLITE_TOOBIG:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE: return true;
	default: return false;
	}
}

const char *db_reason(int rc)
{
	if (rc == SQLITE_READONLY_DBMOVED)
		return "its database was removed, moved or replaced while it was in use";
	switch (rc & 0xff) {
	case SQLITE_FULL: return "its disk is full";
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return "its database is locked by another program";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return "its database is damaged";
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN: return "it may not write to its database";
	case SQLITE_NOMEM: return "it is out of memory";
	default: return "its database could not be read or written";
	}
}

enum errc db_refuse(int rc, struct err *e)
{
	if ((rc & 0xff) == SQLITE_TOOBIG)
		return err_set(e, ERR_REQUEST_TOO_LARGE, "",
			       "a message is too large to be stored (at most %u MiB)",
			       LIMIT_STORE_ROW / MIB - 1);
	if (db_own_fault(rc))
		return err_set(e, ERR_INTERNAL, "", "the gateway could not store this request");

	err_set(e, ERR_STORAGE, "",
		"the gateway can't use its storage at the moment: %s; try again later",
		db_reason(rc));
	e->retry_after_ms = 2000;
	return e->code;
}

void db_problem(sqlite3 *db, int rc, char *ret, size_t n)
{
	int         os = db ? sqlite3_system_errno(db) : 0;
	const char *text = sqlite3_errstr(rc);

	if (os != 0 && ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN)) {
		char        room[80];
		const char *why = strerror_r(os, room, sizeof room);

		snprintf(ret, n, "%s: %s (SQLite result %d)", text, why, rc);
		return;
	}
	snprintf(ret, n, "%s (SQLite result %d)", text, rc);
}

/* A code that is not listed is an error of SQL itself: the schema is not the one that Parley has
 * made. */
static enum err_fault fault_of(int rc)
{
	if (rc == SQLITE_IOERR_NOMEM)
		return FAULT_NONE;
	switch (rc & 0xff) {
	case SQLITE_NOMEM: return FAULT_NONE;
	case SQLITE_FULL:
	case SQLITE_IOERR: return FAULT_DISK;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return FAULT_BUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_PROTOCOL:
	case SQLITE_CANTOPEN: return FAULT_NO_PLACE;
	default: return FAULT_DATA;
	}
}

enum errc db_fail(sqlite3 *db, int rc, const char *path, const char *doing, struct err *e)
{
	char problem[160];

	db_problem(db, rc, problem, sizeof problem);
	err_set(e, ERR_STORAGE, "", "can't %s the database %s: %s", doing, path ? path : "?",
		problem);
	return err_blame(e, fault_of(rc));
}
