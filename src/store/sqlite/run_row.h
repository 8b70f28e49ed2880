/* run_row: reads rows of runs.  The functions return an SQLite code; on SQLITE_OK, e says whether
 * the job is refused. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/run.h"

/* run_row_find: binds key, secret and owner to the statement, and steps it; *ret is on the row.  e
 * is NOT_FOUND if there is no such run. */
int run_row_find(struct conn *c, const char *sql, struct id id, int64_t owner, sqlite3_stmt **ret,
		 struct err *e) MUST_USE;
/* run_row_status: the status in the row's first column. */
int run_row_status(sqlite3_stmt *st, enum run_status *ret) MUST_USE;
