/* Reads rows of runs. */
#include "store/sqlite/run_row.h"

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
