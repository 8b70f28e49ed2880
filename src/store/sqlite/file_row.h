/* file_row: rows of uploaded files. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/file.h"

#define FILE_ROW "SELECT id, secret, created_ms, bytes, sha256, name, type, purpose FROM file "

/* file_row_find: *ret is on the file's row.  *ret_found false: the owner has no such file. */
int file_row_find(struct conn *c, struct id id, int64_t owner, bool *ret_found,
		  sqlite3_stmt **ret) MUST_USE;
/* file_row_read: reads a row of FILE_ROW into *ret, with texts in a. */
int file_row_read(sqlite3_stmt *st, struct arena *a, struct store_file *ret,
		  struct err *e) MUST_USE;
/* file_row_room: makes *ret an array in a, for `count` files; false: e says why not. */
bool file_row_room(struct arena *a, size_t count, struct store_file **ret, struct err *e) MUST_USE;
