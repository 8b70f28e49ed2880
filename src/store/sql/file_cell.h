/* file_cell: reads rows of files. */
#pragma once

#include "store/file.h"
#include "store/sql/query.h"

/* The columns of the files f. */
#define FILE_CELL \
	"SELECT f.id, f.secret, f.created_ms, f.bytes, f.sha256, f.name, f.type, f.purpose "

/* file_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool file_cell_keep(struct row r, struct arena *a, struct store_file *ret, struct err *e) MUST_USE;
/* file_cell_room: makes *ret an array in a, for `count` files; false: e says why not. */
bool file_cell_room(struct arena *a, size_t count, struct store_file **ret, struct err *e) MUST_USE;
