/* row: copying what a row holds into the memory of who asked. */
#pragma once

#include "msg/event.h"
#include "store/sqlite/kit/db.h"

void row_no_memory(struct err *e);
/* row_keep: copies a text column; false: e says why not. */
bool row_keep(struct arena *a, sqlite3_stmt *st, int column, struct str *ret,
	      struct err *e) MUST_USE;
/* row_usage: the columns usage_estimated, _in, _out, _cached_read, _cached_write, _reasoning. */
struct usage row_usage(sqlite3_stmt *st, int first);
/* row_fits: whether n more bytes have room. */
bool row_fits(const struct arena *a, size_t n);
