/* cell: reads the columns of a row, whichever engine it is from.  Every number is a bigint. */
#pragma once

#include "base/arena.h"
#include "base/base.h"
#include "base/err.h"
#include "base/id.h"
#include "msg/event.h"

#include <stdbool.h>
#include <stdint.h>

struct row;

/* An engine's rows. */
struct row_kind {
	bool (*null)(struct row r, int column);
	int64_t (*number)(struct row r, int column); /* NULL is 0 */
	struct str (*text)(struct row r, int column);
};

/* A row of a result. */
struct row {
	const struct row_kind *kind;
	void                  *result; /* the engine's; borrowed */
	int                    at;
};

bool       cell_null(struct row r, int column);
int64_t    cell_int(struct row r, int column); /* NULL is 0 */
struct id  cell_id(int64_t key, struct row r, int secret_column);
struct str cell_str(struct row r, int column); /* borrowed until the next row; NULL is empty */
/* cell_keep: copies a text into a; false: no memory, and e says so. */
bool cell_keep(struct arena *a, struct row r, int column, struct str *ret, struct err *e) MUST_USE;
/* cell_usage: usage_estimated, _in, _out, _cached_read, _cached_write and _reasoning, the columns from
 * `first` on. */
struct usage cell_usage(struct row r, int first);
/* cell_damaged: fills e: a row has what no version of Parley has written. */
void cell_damaged(struct err *e);
/* cell_fits: whether the arena has room for n more bytes. */
bool cell_fits(const struct arena *a, size_t n);
void cell_no_memory(struct err *e);

/* key_list: keys that a walk along a branch has met. */
/* Laid open so that it can be embedded; all zero is empty. */
struct key_list {
	int64_t *at; /* owned */
	size_t   count;
	size_t   cap;
};

bool key_list_add(struct key_list *k, int64_t key) MUST_USE; /* false: no memory */
void key_list_finish(struct key_list *k);
