/* Columns into arenas. */
#include "store/sqlite/row.h"

void row_no_memory(struct err *e)
{
	err_set(e, ERR_OVERLOADED, "", "The server is out of memory.");
}

bool row_keep(struct arena *a, sqlite3_stmt *st, int column, struct str *ret, struct err *e)
{
	struct str s = arena_str(a, db_column(st, column));

	if (!s.p) {
		row_no_memory(e);
		return false;
	}
	*ret = s;
	return true;
}

bool row_fits(const struct arena *a, size_t n)
{
	/* A NUL, and the arena's rounding. */
	return n + 64 < a->max && a->used < a->max - n - 64;
}
