/* Reads one run. */
#include "store/sqlite/op.h"
#include "store/run.h"
#include "store/sqlite/run_row.h"

static const char sql_one[] =
	RUN_ROW   RUN_ROW_JOINS "WHERE r.id = ? AND r.secret = ? AND r.owner = ?";

static int run_read_run(struct session *s, struct run_read *j)
{
	sqlite3_stmt *st;
	int           rc = run_row_find(s->conn, sql_one, j->run, j->owner, &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	return run_row_read(st, &j->arena, j, &j->job.err);
}

OP(run_read, run_read_run);
