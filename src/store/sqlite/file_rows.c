/* Reading uploaded files: some by their ids, and a list. */
#include "store/sqlite/file_rows.h"

#include "store/sqlite/kit/row.h"

#define COLUMNS "SELECT id, secret, created_ms, bytes, sha256, name, type, purpose FROM file "

static const char *const sql[FILE_ROWS_SQL__COUNT] = {
	[FILE_ROWS_SQL_ONE] = COLUMNS "WHERE id = ? AND secret = ? AND owner = ?",
	[FILE_ROWS_SQL_DOWN] = COLUMNS "WHERE owner = ?1 AND id < ?2 AND (?3 IS NULL OR purpose = ?3) "
				       "ORDER BY id DESC LIMIT ?4",
	[FILE_ROWS_SQL_UP] = COLUMNS "WHERE owner = ?1 AND id > ?2 AND (?3 IS NULL OR purpose = ?3) "
				     "ORDER BY id LIMIT ?4",
};

enum errc file_rows_prepare(struct file_rows *r, sqlite3 *db, struct err *e)
{
	return db_prepare(db, sql, FILE_ROWS_SQL__COUNT, r->st, e);
}

void file_rows_finish(struct file_rows *r)
{
	db_finalize(r->st, FILE_ROWS_SQL__COUNT);
}

void file_rows_reset(struct file_rows *r)
{
	for (size_t i = 0; i < FILE_ROWS_SQL__COUNT; i++)
		(void)sqlite3_reset(r->st[i]);
}

/* *ret_found false: there is none, or it is another owner's. */
static int find(struct file_rows *r, struct id id, int64_t owner, bool *ret_found)
{
	sqlite3_stmt  *st = r->st[FILE_ROWS_SQL_ONE];
	struct db_bind b = db_bind(st);

	(void)sqlite3_reset(st);
	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	int rc = db_bind_row(&b);
	*ret_found = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_row(sqlite3_stmt *st, struct arena *a, struct store_file *ret, struct err *e)
{
	struct str sum = db_blob(st, 4);

	if (sum.n != HASH_BYTES)
		return SQLITE_CORRUPT;
	if (!row_keep(a, st, 5, &ret->name, e) || !row_keep(a, st, 6, &ret->type, e) ||
	    !row_keep(a, st, 7, &ret->purpose, e))
		return SQLITE_OK;
	ret->id = db_id(db_int(st, 0), st, 1);
	ret->created_ms = db_int(st, 2);
	ret->bytes = db_int(st, 3);
	memcpy(ret->sha256, sum.p, HASH_BYTES);
	return SQLITE_OK;
}

static bool make_room(struct arena *a, size_t count, struct store_file **ret, struct err *e)
{
	*ret = count <= a->max / sizeof **ret ? arena_alloc(a, count * sizeof **ret) : NULL;
	if (!*ret)
		row_no_memory(e);
	return *ret;
}

int file_rows_find(struct file_rows *r, struct files_find *j)
{
	struct err *e = &j->job.err;
	bool        found = true;
	int         rc = SQLITE_OK;

	if (!make_room(&j->arena, j->count, &j->files, e))
		return SQLITE_OK;
	for (j->missing = 0; j->missing < j->count; j->missing++) {
		rc = find(r, j->ids[j->missing], j->owner, &found);
		if (rc == SQLITE_OK && !found && !j->some)
			err_set(e, ERR_NOT_FOUND, "", "There is no file with this id.");
		else if (rc == SQLITE_OK && found)
			rc = read_row(r->st[FILE_ROWS_SQL_ONE], &j->arena,
			              &j->files[j->missing], e);
		if (rc != SQLITE_OK || e->code != ERR_OK)
			break;
	}
	return rc;
}

static int check_after(struct file_rows *r, struct files_read *j)
{
	bool found = true;
	int  rc = SQLITE_OK;

	if (!id_none(j->after))
		rc = find(r, j->after, j->owner, &found);
	if (rc == SQLITE_OK && !found)
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
		        "There is no file with this id in the list.");
	return rc;
}

static int bind_list(const struct files_read *j, sqlite3_stmt *st)
{
	struct db_bind b = db_bind(st);
	int64_t        edge = j->ascending ? 0 : INT64_MAX;

	db_bind_int(&b, j->owner);
	db_bind_int(&b, id_none(j->after) ? edge : j->after.key);
	db_bind_maybe(&b, j->purpose);
	db_bind_int(&b, (int64_t)j->limit + 1);
	return b.rc;
}

static bool has_room(const struct files_read *j, sqlite3_stmt *st)
{
	size_t n = 3 * 64;

	for (int column = 5; column <= 7; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	return row_fits(&j->arena, n);
}

int file_rows_list(struct file_rows *r, struct files_read *j)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st = r->st[j->ascending ? FILE_ROWS_SQL_UP : FILE_ROWS_SQL_DOWN];
	int           rc = check_after(r, j);

	j->file_count = 0;
	j->has_more = false;
	if (rc != SQLITE_OK || e->code != ERR_OK || !make_room(&j->arena, j->limit, &j->files, e))
		return rc;
	rc = bind_list(j, st);
	if (rc != SQLITE_OK)
		return rc;
	for (rc = db_row(st); rc == SQLITE_ROW; rc = db_row(st)) {
		if (j->file_count == j->limit || !has_room(j, st)) {
			j->has_more = true;
			return SQLITE_OK;
		}

		int read = read_row(st, &j->arena, &j->files[j->file_count], e);
		if (read != SQLITE_OK || e->code != ERR_OK)
			return read;
		j->file_count++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}
