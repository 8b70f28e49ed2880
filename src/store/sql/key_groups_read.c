/* Reads one group of keys or a list of groups, for people. */
#include "store/sql/cells.h"

/* $1 and $2: after which group. */
static const char sql_list[] = KEY_GROUP_CELL "WHERE (g.created_ms, g.id) < ($1, $2) "
					      "ORDER BY g.created_ms DESC, g.id DESC LIMIT $3";

static bool groups_room(const struct arena *a, struct row r)
{
	size_t n = 4 * 64;

	for (int column = 1; column <= 4; column++)
		n += cell_str(r, column).n;
	return cell_fits(a, n);
}

static enum work_next groups_begin(struct query *q, struct key_groups_read *j)
{
	struct store_key_group after = { .created_ms = INT64_MAX };
	struct err            *e = &j->job.err;
	struct param          *a;
	struct row             r;
	bool                   found = (j->id[0] || j->after[0]) && query_row(q, 0, &r);

	if (j->id[0]) {
		if (!found)
			err_set(e, ERR_NOT_FOUND, "", "there is no such group");
		else if (key_group_cell_read(r, &j->arena, j->groups, e))
			j->group_count = 1;
		return WORK_DONE;
	}
	if (j->after[0] && !found) {
		err_set(e, ERR_INVALID_VALUE, "after", "must be the id of a group of this list");
		return WORK_DONE;
	}
	if (found && !key_group_cell_read(r, &j->arena, &after, e))
		return WORK_DONE;
	a = query_param(q);
	param_int(a, after.created_ms);
	param_text(a, str_of(after.id));
	param_int(a, (int64_t)j->limit + 1);
	query_ask(q, sql_list);
	return WORK_AGAIN;
}

static enum work_next read_groups(struct query *q, struct key_groups_read *j)
{
	struct row r;

	switch (q->stage) {
	case 0:
		j->group_count = 0;
		j->has_more = false;
		j->groups = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->groups);
		if (!j->groups) {
			cell_no_memory(&j->job.err);
			return WORK_DONE;
		}
		if (j->id[0] || j->after[0])
			key_group_cell_ask(q, str_of(j->id[0] ? j->id : j->after));
		return WORK_AGAIN;
	case 1: return groups_begin(q, j);
	default: break;
	}
	while (query_row(q, 0, &r)) {
		j->has_more = j->group_count == j->limit || !groups_room(&j->arena, r);
		if (j->has_more ||
		    !key_group_cell_read(r, &j->arena, &j->groups[j->group_count], &j->job.err))
			break;
		j->group_count++;
	}
	return WORK_DONE;
}

SQL_OP(key_groups_read, WORK_SNAPSHOT, read_groups);
