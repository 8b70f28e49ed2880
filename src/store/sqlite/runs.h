/* runs: the statements that read runs and their event logs, inside a reader's transaction.
 *
 * They return an SQLite code; on SQLITE_OK, the job's err says whether it was refused.  Statements
 * left on a row are reset by runs_reset. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum runs_sql {
	RUNS_SQL_ONE,
	RUNS_SQL_PLACE,
	RUNS_SQL_ALL,
	RUNS_SQL_CONVERSATION,
	RUNS_SQL_LIVE,
	RUNS_SQL_UNUSUAL,
	RUNS_SQL_STATE,
	RUNS_SQL_PARTS,
	RUNS_SQL_HEAD,
	RUNS_SQL_PIECES,
	RUNS_SQL_ANSWER,
	RUNS_SQL__COUNT
};

struct runs {
	sqlite3_stmt *st[RUNS_SQL__COUNT];
};

enum errc runs_prepare(struct runs *r, sqlite3 *db, struct err *e) MUST_USE;
void      runs_finish(struct runs *r);
void      runs_reset(struct runs *r);

int runs_one(struct runs *r, struct run_read *j) MUST_USE;
int runs_list(struct runs *r, struct runs_read *j) MUST_USE;
int runs_events(struct runs *r, struct events_read *j) MUST_USE;
