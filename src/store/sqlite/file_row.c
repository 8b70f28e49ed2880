/* Reads one row of a file by its id. */
#include "store/sqlite/file_row.h"
#include "store/file.h"

#include "store/sqlite/kit/row.h"

static const char sql_one[] = FILE_ROW "WHERE id = ? AND secret = ? AND owner = ?";

int file_row_find(struct conn *c, struct id id, int64_t owner, bool *ret_found, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(c, sql_one);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	*ret = b.st;
	int rc = db_bind_row(&b);
	*ret_found = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int file_row_read(sqlite3_stmt *st, struct arena *a, struct store_file *ret, struct err *e)
{
	struct str sum = db_blob(st, 4);

	if (sum.n != HASH_BYTES)
		return SQLITE_CORRUPT;
	if (!cell_keep(a, row_of(st), 5, &ret->name, e) ||
	    !cell_keep(a, row_of(st), 6, &ret->type, e) ||
	    !cell_keep(a, row_of(st), 7, &ret->purpose, e))
		return SQLITE_OK;
	ret->id = db_id(db_int(st, 0), st, 1);
	ret->created_ms = db_int(st, 2);
	ret->bytes = db_int(st, 3);
	memcpy(ret->sha256, sum.p, HASH_BYTES);
	return SQLITE_OK;
}

bool file_row_room(struct arena *a, size_t count, struct store_file **ret, struct err *e)
{
	*ret = count <= a->max / sizeof **ret ? arena_alloc(a, count * sizeof **ret) : NULL;
	if (!*ret)
		cell_no_memory(e);
	return *ret;
}
