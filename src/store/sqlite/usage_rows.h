/* usage_rows: sums of what was used, read for a report. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum usage_rows_sql { USAGE_ROWS_SQL_SUM, USAGE_ROWS_SQL_BUDGET, USAGE_ROWS_SQL__COUNT };

struct usage_rows {
	sqlite3_stmt *st[USAGE_ROWS_SQL__COUNT];
};

enum errc usage_rows_prepare(struct usage_rows *r, sqlite3 *db, struct err *e) MUST_USE;
void      usage_rows_finish(struct usage_rows *r);
void      usage_rows_reset(struct usage_rows *r);

int usage_rows_read(struct usage_rows *r, struct usage_read *j) MUST_USE;
