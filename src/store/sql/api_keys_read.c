/* Reads one key or a list of keys, for people. */
#include "store/sql/cells.h"

static const char sql_list[] = API_KEY_CELL "WHERE number < $1 ORDER BY number DESC LIMIT $2";

static bool keys_room(const struct arena *a, struct row r)
{
	size_t n = 3 * 64;

	for (int column = 3; column <= 6; column++)
		n += column == 4 ? 0 : cell_str(r, column).n;
	return cell_fits(a, n);
}

static enum work_next keys_begin(struct query *q, struct api_keys_read *j)
{
	struct store_api_key after = { .number = INT64_MAX };
	struct err          *e = &j->job.err;
	struct param        *a;

	if (j->id[0]) {
		j->key_count = api_key_cell_find(q, 0, "", &j->arena, j->keys, e);
		return WORK_DONE;
	}
	if (j->after[0] && !api_key_cell_find(q, 0, "", &j->arena, &after, e)) {
		if (e->code == ERR_NOT_FOUND)
			err_set(e, ERR_INVALID_VALUE, "after",
				"must be the id of a key of this list");
		return WORK_DONE;
	}
	a = query_param(q);
	param_int(a, after.number);
	param_int(a, (int64_t)j->limit + 1);
	query_ask(q, sql_list);
	return WORK_AGAIN;
}

static enum work_next read_keys(struct query *q, struct api_keys_read *j)
{
	struct row r;

	switch (q->stage) {
	case 0:
		j->key_count = 0;
		j->has_more = false;
		j->keys = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->keys);
		if (!j->keys) {
			cell_no_memory(&j->job.err);
			return WORK_DONE;
		}
		if (j->id[0] || j->after[0])
			api_key_cell_ask(q, str_of(j->id[0] ? j->id : j->after), false);
		return WORK_AGAIN;
	case 1: return keys_begin(q, j);
	default: break;
	}
	while (query_row(q, 0, &r)) {
		j->has_more = j->key_count == j->limit || !keys_room(&j->arena, r);
		if (j->has_more ||
		    !api_key_cell_read(r, &j->arena, &j->keys[j->key_count], &j->job.err))
			break;
		j->key_count++;
	}
	return WORK_DONE;
}

SQL_OP(api_keys_read, WORK_SNAPSHOT, read_keys);
