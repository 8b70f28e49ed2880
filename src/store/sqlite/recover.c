/* Making an honest end for what the last process could not. */
#include "store/sqlite/recover.h"

#include "base/clock.h"
#include "store/sqlite/db.h"

enum recover_sql { FIND_LIVE, END_LIVE, HIGHEST_KEY, RECOVER_SQL__COUNT };

static const char *const sql[RECOVER_SQL__COUNT] = {
	[FIND_LIVE] = "SELECT EXISTS (SELECT 1 FROM run WHERE status < 2)",
	/* The first number behind the reserved range: no client can have seen it. */
	[END_LIVE] =
		"UPDATE run SET status = 3, completed_ms = ?, last_seq = seq_reserved + 1, error = "
		"'{\"message\":\"The server stopped while this answer was being made.\","
		"\"type\":\"server_error\",\"param\":null,\"code\":\"server_stopped\"}' "
		"WHERE status < 2",
	[HIGHEST_KEY] =
		("SELECT max(ifnull((SELECT max(id) FROM conversation), 0), "
		 "ifnull((SELECT max(id) FROM message), 0), ifnull((SELECT max(id) FROM run), 0))"),
};

static int number(sqlite3_stmt *st, int64_t *ret)
{
	int rc = db_row(st);

	if (rc != SQLITE_ROW)
		return rc;
	*ret = db_int(st, 0);
	return sqlite3_reset(st);
}

static int end_live(sqlite3 *db, sqlite3_stmt **st, int *ret_runs)
{
	int64_t live = 0;
	int     rc = number(st[FIND_LIVE], &live);

	if (rc != SQLITE_OK || live == 0)
		return rc;

	struct db_bind b = db_bind(st[END_LIVE]);
	db_bind_int(&b, clock_wall_ms());
	rc = db_bind_run(&b);
	if (rc == SQLITE_OK)
		*ret_runs = sqlite3_changes(db);
	return rc;
}

enum errc recover_run(sqlite3 *db, const char *path, int *ret_runs, struct err *e)
{
	sqlite3_stmt *st[RECOVER_SQL__COUNT];
	int64_t       highest = 0;
	int           runs = 0;

	if (db_prepare(db, sql, RECOVER_SQL__COUNT, st, e) != ERR_OK)
		return e->code;

	int rc = end_live(db, st, &runs);
	if (rc == SQLITE_OK)
		rc = number(st[HIGHEST_KEY], &highest);
	if (rc != SQLITE_OK)
		db_fail(db, rc, path, "recover", e);
	db_finalize(st, RECOVER_SQL__COUNT);
	if (rc != SQLITE_OK)
		return e->code;

	id_floor(highest);
	*ret_runs = runs;
	return ERR_OK;
}
