/* row: copies columns of a row into the arena of a job. */
#pragma once

#include "msg/event.h"
#include "store/sqlite/kit/db.h"

/* row_no_memory: fills e with OVERLOADED. */
void row_no_memory(struct err *e);
/* row_keep: copies a text column into a; false: no memory, and e says so. */
bool row_keep(struct arena *a, sqlite3_stmt *st, int column, struct str *ret,
	      struct err *e) MUST_USE;
/* row_usage: reads usage_estimated, _in, _out, _cached_read, _cached_write and _reasoning, the
 * columns from `first` on. */
struct usage row_usage(sqlite3_stmt *st, int first);
/* row_fits: whether the arena has room for n more bytes. */
bool row_fits(const struct arena *a, size_t n);
