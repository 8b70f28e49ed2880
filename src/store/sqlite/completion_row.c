/* Reads rows of stored completions. */
#include "store/sqlite/completion_row.h"

#include "base/limits.h"
#include "store/completion.h"

enum { FIRST_TEXT = 3, LAST_TEXT = 8, USAGE = 9 };

int completion_row_find(struct db_bind *b, struct id run, int64_t owner, struct err *e)
{
	db_bind_int(b, run.key);
	db_bind_secret(b, run.secret);
	db_bind_int(b, owner);
	int rc = db_bind_row(b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, "", "there is no such stored completion");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int completion_row_too_large(struct err *e, const struct arena *a)
{
	err_set(e, ERR_REQUEST_TOO_LARGE, "",
		"the completion is larger than the %zu KiB that can be read at once", a->max / KIB);
	return SQLITE_OK;
}

size_t completion_row_bytes(sqlite3_stmt *st)
{
	size_t n = 0;

	for (int column = FIRST_TEXT; column <= LAST_TEXT; column++)
		n += (size_t)sqlite3_column_bytes(st, column) + 64;
	return n;
}

bool completion_row_keep(sqlite3_stmt *st, struct arena *a, struct store_completion *ret,
			 struct err *e)
{
	struct str *const texts[] = {
		&ret->model,    &ret->finish_reason, &ret->request_id,
		&ret->settings, &ret->answer,        &ret->metadata,
	};
	_Static_assert(ARRAY_LEN(texts) == LAST_TEXT - FIRST_TEXT + 1, "one for each column");

	ret->run = db_id(db_int(st, 0), st, 1);
	ret->created_ms = db_int(st, 2);
	ret->usage = row_usage(st, USAGE);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!row_keep(a, st, FIRST_TEXT + (int)i, texts[i], e))
			return false;
	if (ret->metadata.n == 0)
		ret->metadata = STR("{}");
	return true;
}
