/* run_row: reads rows of runs.  The functions return an SQLite code; on SQLITE_OK, e says whether
 * the job is refused. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/run.h"

#define RUN_ROW_COLUMNS                                                                      \
	"SELECT r.status, r.conversation, c.secret, r.continues, k.secret, r.model, "        \
	"r.provider, r.finish_reason, r.error, r.usage_estimated, r.usage_in, r.usage_out, " \
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.created_ms, "       \
	"r.first_token_ms, r.completed_ms, r.attempts, r.id, r.secret, "                     \
	"r.native_reason, r.cost_nano "
#define RUN_ROW RUN_ROW_COLUMNS "FROM run r "
#define RUN_ROW_JOINS \
	"LEFT JOIN conversation c ON c.id = r.conversation LEFT JOIN run k ON k.id = r.continues "

enum { RUN_ROW_ID = 19, RUN_ROW_SECRET, RUN_ROW_NATIVE, RUN_ROW_COST, RUN_ROW_MORE };

/* run_row_find: binds key, secret and owner to the statement, and steps it; *ret is on the row.  e
 * is NOT_FOUND if there is no such run. */
int run_row_find(struct conn *c, const char *sql, struct id id, int64_t owner, sqlite3_stmt **ret,
		 struct err *e) MUST_USE;
/* run_row_status: the status in the row's first column. */
int run_row_status(sqlite3_stmt *st, enum run_status *ret) MUST_USE;
/* run_row_read: fills all members of *ret but its job from a row of RUN_ROW; texts are in a. */
int run_row_read(sqlite3_stmt *st, struct arena *a, struct run_read *ret, struct err *e) MUST_USE;
