/* Copies of columns in arenas. */
#include "store/sqlite/kit/row.h"

void row_no_memory(struct err *e)
{
	err_set(e, ERR_OVERLOADED, "", "the gateway is out of memory");
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

struct usage row_usage(sqlite3_stmt *st, int first)
{
	bool any = sqlite3_column_type(st, first) != SQLITE_NULL;

	return (struct usage){
		.known = any && db_int(st, first) == 0,
		.estimated = any && db_int(st, first) != 0,
		.in = db_int(st, first + 1),
		.out = db_int(st, first + 2),
		.cached_read = db_int(st, first + 3),
		.cached_write = db_int(st, first + 4),
		.reasoning = db_int(st, first + 5),
	};
}

bool row_fits(const struct arena *a, size_t n)
{
	/* 64: a NUL, and the arena's rounding. */
	return n + 64 < a->max && a->used < a->max - n - 64;
}
