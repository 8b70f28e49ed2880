/* Reads one key or a list of keys, for people. */
#include "store/sqlite/api_key_row.h"
#include "store/api_key.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static const char sql_list[] = API_KEY_ROW "WHERE number < ? ORDER BY number DESC LIMIT ?";

static bool api_keys_read_has_room(const struct arena *a, sqlite3_stmt *st)
{
	size_t n = 3 * 64;

	for (int column = 3; column <= 6; column++)
		n += (size_t)sqlite3_column_bytes(st, column);
	return cell_fits(a, n);
}

static int api_keys_read_list(struct session *s, struct api_keys_read *j, int64_t below)
{
	struct db_bind b = conn_bind(s->conn, sql_list);
	sqlite3_stmt  *st = b.st;
	int            rc;

	db_bind_int(&b, below);
	db_bind_int(&b, (int64_t)j->limit + 1);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(st)) {
		if (j->key_count == j->limit || !api_keys_read_has_room(&j->arena, st)) {
			j->has_more = true;
			(void)sqlite3_reset(st);
			return SQLITE_OK;
		}
		if (!api_key_row_read(st, &j->arena, &j->keys[j->key_count], &j->job.err)) {
			(void)sqlite3_reset(st);
			return SQLITE_OK;
		}
		j->key_count++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_keys(struct session *s, struct api_keys_read *j)
{
	struct err          *e = &j->job.err;
	struct store_api_key after = { .number = INT64_MAX };
	int                  rc = SQLITE_OK;

	j->key_count = 0;
	j->has_more = false;
	j->keys = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->keys);
	if (!j->keys) {
		cell_no_memory(e);
		return SQLITE_OK;
	}
	if (j->id[0]) {
		rc = api_key_row_find(s->conn, str_of(j->id), "", &j->arena, j->keys, e);
		j->key_count = rc == SQLITE_OK && e->code == ERR_OK;
		return rc;
	}
	if (j->after[0])
		rc = api_key_row_find(s->conn, str_of(j->after), "", &j->arena, &after, e);
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_INVALID_VALUE, "after", "must be the id of a key of this list");
	return rc == SQLITE_OK && e->code == ERR_OK ? api_keys_read_list(s, j, after.number) : rc;
}

OP(api_keys_read, read_keys);
