/* Reads a list of uploaded files. */
#include "store/sqlite/file_row.h"
#include "store/file.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static const char sql_down[] =
	FILE_ROW "WHERE owner = ?1 AND id < ?2 AND (?3 IS NULL OR purpose = ?3) "
		 "ORDER BY id DESC LIMIT ?4";
static const char sql_up[] =
	FILE_ROW "WHERE owner = ?1 AND id > ?2 AND (?3 IS NULL OR purpose = ?3) "
		 "ORDER BY id LIMIT ?4";

static int files_read_check_after(struct session *s, struct files_read *j)
{
	sqlite3_stmt *st;
	bool          found = true;
	int           rc = SQLITE_OK;

	if (!id_none(j->after))
		rc = file_row_find(s->conn, j->after, j->owner, &found, &st);
	if (rc == SQLITE_OK && !found)
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a file of this list");
	return rc;
}

static struct db_bind files_read_bind_list(struct session *s, const struct files_read *j)
{
	struct db_bind b = conn_bind(s->conn, j->ascending ? sql_up : sql_down);
	int64_t        edge = j->ascending ? 0 : INT64_MAX;

	db_bind_int(&b, j->owner);
	db_bind_int(&b, id_none(j->after) ? edge : j->after.key);
	db_bind_maybe(&b, j->purpose);
	db_bind_int(&b, (int64_t)j->limit + 1);
	return b;
}

static bool files_read_has_room(const struct files_read *j, sqlite3_stmt *st)
{
	size_t n = 3 * 64;

	for (int column = 5; column <= 7; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	return cell_fits(&j->arena, n);
}

static int files_read_list(struct session *s, struct files_read *j)
{
	struct err *e = &j->job.err;
	int         rc = files_read_check_after(s, j);

	j->file_count = 0;
	j->has_more = false;
	if (rc != SQLITE_OK || e->code != ERR_OK ||
	    !file_row_room(&j->arena, j->limit, &j->files, e))
		return rc;
	struct db_bind b = files_read_bind_list(s, j);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st)) {
		if (j->file_count == j->limit || !files_read_has_room(j, b.st)) {
			j->has_more = true;
			return SQLITE_OK;
		}

		int read = file_row_read(b.st, &j->arena, &j->files[j->file_count], e);
		if (read != SQLITE_OK || e->code != ERR_OK)
			return read;
		j->file_count++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

OP(files_read, files_read_list);
