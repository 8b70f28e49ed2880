/* Columns of statements. */
#include "store/sqlite/kit/conn.h"

static bool row_null(struct row r, int column)
{
	return sqlite3_column_type(r.result, column) == SQLITE_NULL;
}

static int64_t row_number(struct row r, int column)
{
	return sqlite3_column_int64(r.result, column);
}

/* A text's bytes are those of a blob. */
static struct str row_text(struct row r, int column)
{
	const char *p = sqlite3_column_blob(r.result, column);
	int         n = sqlite3_column_bytes(r.result, column);

	return (struct str){ p ? p : "", n > 0 ? (size_t)n : 0 };
}

struct row row_of(sqlite3_stmt *st)
{
	static const struct row_kind kind = { row_null, row_number, row_text };

	return (struct row){ &kind, st, 0 };
}
