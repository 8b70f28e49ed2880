/* Reads one run. */
#include "base/limits.h"
#include "store/run.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"
#include "store/sqlite/run_row.h"

static const char sql_one[] =
	RUN_ROW_COLUMNS ", r.attempt_log, r.executions FROM run r " RUN_ROW_JOINS
			"WHERE r.id = ? AND r.secret = ? AND r.owner = ?";
static const char sql_whole[] = RUN_ROW_COLUMNS
	", r.attempt_log, r.executions, r.settings, m.body FROM run r " RUN_ROW_JOINS
	"LEFT JOIN message m ON m.id = r.id "
	"WHERE r.id = ?1 AND r.secret = ?2 AND r.owner = ?3 AND ?4 IN (r.shape, '') "
	"AND (m.run IS NULL OR m.run >= 0)";

enum { ATTEMPT_LOG = RUN_ROW_MORE, EXECUTIONS, SETTINGS, ANSWER };

/* run_read_one: the row, and what lists leave out. */
static int run_read_one(struct run_read *j, sqlite3_stmt *st)
{
	struct err *e = &j->job.err;
	int         rc = run_row_read(st, &j->arena, j, e);

	if (rc == SQLITE_OK && e->code == ERR_OK &&
	    cell_keep(&j->arena, row_of(st), ATTEMPT_LOG, &j->attempt_log, e))
		(void)!cell_keep(&j->arena, row_of(st), EXECUTIONS, &j->executions, e);
	return rc;
}

/* find_whole: binds the parameters, and steps the statement. */
static int find_whole(struct session *s, struct run_read *j, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(s->conn, sql_whole);

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	db_bind_text(&b, j->shape);
	*ret = b.st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such response");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int run_read_whole(struct session *s, struct run_read *j)
{
	sqlite3_stmt *st;
	struct err   *e = &j->job.err;
	int           rc = find_whole(s, j, &st);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!cell_fits(&j->arena, (size_t)sqlite3_column_bytes(st, SETTINGS) +
					  (size_t)sqlite3_column_bytes(st, ANSWER) + 8 * KIB)) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"the response is larger than the %zu KiB that can be read at once",
			j->arena.max / KIB);
		return SQLITE_OK;
	}
	rc = run_read_one(j, st);
	if (rc == SQLITE_OK && e->code == ERR_OK &&
	    cell_keep(&j->arena, row_of(st), SETTINGS, &j->settings, e))
		(void)!cell_keep(&j->arena, row_of(st), ANSWER, &j->answer, e);
	return rc;
}

static int run_read_run(struct session *s, struct run_read *j)
{
	sqlite3_stmt *st;

	if (j->shape.p)
		return run_read_whole(s, j);
	int rc = run_row_find(s->conn, sql_one, j->run, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	return run_read_one(j, st);
}

OP(run_read, run_read_run);
