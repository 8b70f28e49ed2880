/* Reads one key or a list of keys, for people. */
#include "store/postgres/api_key_cell.h"
#include "store/postgres/operation.h"

static const char sql_list[] = API_KEY_CELL "WHERE number < $1 ORDER BY number DESC LIMIT $2";

static bool keys_room(const struct arena *a, struct row r)
{
	size_t n = 3 * 64;

	for (int column = 3; column <= 6; column++)
		n += column == 4 ? 0 : cell_str(r, column).n;
	return cell_fits(a, n);
}

static enum work_next keys_begin(struct work *w, struct api_keys_read *j)
{
	struct store_api_key after = { .number = INT64_MAX };
	struct err          *e = &j->job.err;
	struct param        *a;

	if (j->id[0]) {
		j->key_count = api_key_cell_find(w, 0, "", &j->arena, j->keys, e);
		return WORK_DONE;
	}
	if (j->after[0] && !api_key_cell_find(w, 0, "", &j->arena, &after, e)) {
		if (e->code == ERR_NOT_FOUND)
			err_set(e, ERR_INVALID_VALUE, "after",
				"must be the id of a key of this list");
		return WORK_DONE;
	}
	a = work_param(w);
	param_int(a, after.number);
	param_int(a, (int64_t)j->limit + 1);
	work_ask(w, sql_list);
	return WORK_AGAIN;
}

static enum work_next api_keys_read_read_keys(struct work *w, struct api_keys_read *j)
{
	switch (w->stage) {
	case 0:
		j->key_count = 0;
		j->has_more = false;
		j->keys = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->keys);
		if (!j->keys) {
			cell_no_memory(&j->job.err);
			return WORK_DONE;
		}
		api_key_cell_ask(w, str_of(j->id[0] ? j->id : j->after));
		return WORK_AGAIN;
	case 1: return keys_begin(w, j);
	default: break;
	}
	for (int i = 0; i < work_rows(w, 0); i++) {
		struct row r = work_row(w, 0, i);

		j->has_more = j->key_count == j->limit || !keys_room(&j->arena, r);
		if (j->has_more ||
		    !api_key_cell_read(r, &j->arena, &j->keys[j->key_count], &j->job.err))
			break;
		j->key_count++;
	}
	return WORK_DONE;
}

OP(api_keys_read, WORK_SNAPSHOT, api_keys_read_read_keys);
