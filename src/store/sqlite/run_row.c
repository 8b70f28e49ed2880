/* Reads rows of runs. */
#include "store/sqlite/run_row.h"
#include "store/run.h"

#include "store/sqlite/kit/row.h"

int run_row_find(struct conn *c, const char *sql, struct id id, int64_t owner, sqlite3_stmt **ret,
		 struct err *e)
{
	struct db_bind b = conn_bind(c, sql);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	*ret = st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "there is no such run");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int run_row_status(sqlite3_stmt *st, enum run_status *ret)
{
	int64_t status = db_int(st, 0);

	if (status < 0 || status >= RUN_STATUS__COUNT)
		return SQLITE_CORRUPT;
	*ret = (enum run_status)status;
	return SQLITE_OK;
}

int run_row_read(sqlite3_stmt *st, struct arena *a, struct run_read *ret, struct err *e)
{
	int rc = run_row_status(st, &ret->status);

	if (rc != SQLITE_OK)
		return rc;
	if (!cell_keep(a, row_of(st), 5, &ret->model, e) ||
	    !cell_keep(a, row_of(st), 6, &ret->provider, e) ||
	    !cell_keep(a, row_of(st), 7, &ret->finish_reason, e) ||
	    !cell_keep(a, row_of(st), 8, &ret->error, e) ||
	    !cell_keep(a, row_of(st), RUN_ROW_NATIVE, &ret->native_reason, e))
		return SQLITE_OK;
	ret->conversation = db_id(db_int(st, 1), st, 2);
	ret->continues = db_id(db_int(st, 3), st, 4);
	ret->usage = cell_usage(row_of(st), 9);
	ret->created_ms = db_int(st, 15);
	ret->first_token_ms = db_int(st, 16);
	ret->completed_ms = db_int(st, 17);
	ret->attempts = db_int(st, 18);
	ret->costs = sqlite3_column_type(st, RUN_ROW_COST) != SQLITE_NULL;
	ret->cost_nano = db_int(st, RUN_ROW_COST);
	return SQLITE_OK;
}
