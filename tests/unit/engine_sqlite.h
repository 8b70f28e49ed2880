/* The engine under test: SQLite.  Included by engine_help.h alone. */
#pragma once

#include "store/sqlite/engine.h"

#include <sqlite3.h>

/* A byte string of a zero; whether a column has the word. */
#define SQL_ZERO_BYTE          "x'00'"
#define SQL_HAS_CANARY(column) "instr(" column ", 'canary') > 0"
/* Whether this process writes the database to the disk itself. */
#define ENGINE_OWN_DISK 1
/* Bytes of the event log. */
#define SQL_LOG_BYTES "SELECT written - removed FROM event_size"

HELP const struct store_engine *const engine = &sqlite_engine;

/* In a directory of its own. */
HELP void database_make(struct fixture *f)
{
	snprintf(f->dir, sizeof f->dir, "sqlite-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof f->path, "%s/p.db", f->dir);
}

HELP void database_remove(struct fixture *f)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal", ".lock", ".search" };
	char                     name[128];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		snprintf(name, sizeof name, "%s%s", f->path, ends[i]);
		unlink(name);
	}
	assert_int_equal(rmdir(f->dir), 0);
}

HELP void outside(const struct fixture *f, const char *sql)
{
	sqlite3 *db;
	char    *why = NULL;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

HELP int64_t outside_int(const struct fixture *f, const char *sql)
{
	sqlite3      *db;
	sqlite3_stmt *st;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	int64_t v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

HELP void *outside_hold(const struct fixture *f)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000); /* the store's own chores may be writing */
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

HELP void outside_release(void *held)
{
	assert_int_equal(sqlite3_exec(held, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(held);
}

/* A process that was killed leaves nothing that would have to end first. */
HELP void outside_killed(const struct fixture *f)
{
	(void)f;
}
