/* Writes rows of groups of keys, under the lock of all changes of keys (api_key_write.c). */
#include "base/limits.h"
#include "store/sql/cells.h"

#define LOCK(E) \
	"SELECT version, (SELECT count(*) FROM key_group) FROM api_key_change" E##_FOR_UPDATE
static const struct sql sql_lock = SQL_EITHER(LOCK);
static const char       sql_add[] =
	"INSERT INTO key_group (id, name, models, hooks, metadata, " API_KEY_ALLOWANCE
	", keep_ms, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, "
	"$16, $17, $18, $19)";
static const char sql_update[] =
	"UPDATE key_group SET name = $2, models = $3, hooks = $4, metadata = $5, requests = $6, "
	"requests_window_us = $7, tokens = $8, tokens_window_us = $9, concurrent = $10, "
	"max_body = $11, budget_nano = $12, budget_tokens = $13, budget_window_us = $14, "
	"each_tag = $15, each_nano = $16, each_window_us = $17, keep_ms = $18 WHERE id = $1";
static const char sql_delete[] = "DELETE FROM key_group WHERE id = $1";
static const char sql_leave[] = "UPDATE api_key SET key_group = NULL WHERE key_group = $1";
static const char sql_forget[] = "DELETE FROM budget WHERE key = 'grp_' || $1";
/* In SQLite a trigger does it. */
static const struct sql sql_version = { NULL, "UPDATE api_key_change SET version = version + 1" };

enum { GROUP_LOCK, GROUP_OWN };

static void put_members(struct param *a, const struct key_group_write *j)
{
	const struct store_key_group *was = j->change == KEY_GROUP_UPDATE ? &j->now : NULL;

	param_text(a, str_of(j->id));
	param_raw(a, j->name_set || !was ? j->name : was->name);
	param_maybe(a, j->models_set || !was ? j->models : was->models);
	param_maybe(a, j->hooks_set || !was ? j->hooks : was->hooks);
	param_maybe(a, j->metadata_set || !was ? j->metadata : was->metadata);
	api_key_cell_set(a, &j->allowed, was ? &was->allowance : NULL);
	param_int(a, j->keep_set || !was ? j->keep_ms : was->keep_ms);
}

/* group_add: false: it is refused, or was made by an earlier try. */
static bool group_add(struct query *q, struct key_group_write *j)
{
	struct param *a;
	struct row    r;

	if (q->again && query_row(q, GROUP_OWN, &r))
		return false;
	if (query_row(q, GROUP_LOCK, &r) && cell_int(r, 1) >= LIMIT_GROUPS) {
		err_set(&j->job.err, ERR_OVERLOADED, "",
			"there are %d groups, and there can't be more; delete some", LIMIT_GROUPS);
		return false;
	}
	a = query_param(q);
	put_members(a, j);
	param_int(a, j->now_ms);
	query_ask(q, sql_add);
	return true;
}

/* group_delete: a revoked key leaves its group, which it needs no more. */
static bool group_delete(struct query *q, struct key_group_write *j)
{
	static const char *const all[] = { sql_leave, sql_forget, sql_delete };

	if (j->now.key_count > 0) {
		err_set(&j->job.err, ERR_GROUP_IN_USE, "",
			"%lld keys belong to this group; revoke them, or take them out of it",
			(long long)j->now.key_count);
		return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		param_text(query_param(q), str_of(j->id));
		query_ask(q, all[i]);
	}
	return true;
}

/* group_change: changes or deletes an existing group; false: it is refused, or gone by an earlier try. */
static bool group_change(struct query *q, struct key_group_write *j)
{
	struct row r;

	if (!query_row(q, GROUP_OWN, &r)) {
		if (j->change != KEY_GROUP_DELETE || !q->again)
			err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such group");
		return false;
	}
	if (!key_group_cell_read(r, &j->arena, &j->now, &j->job.err))
		return false;
	if (j->change == KEY_GROUP_DELETE)
		return group_delete(q, j);
	put_members(query_param(q), j);
	query_ask(q, sql_update);
	return true;
}

static enum work_next write_group(struct query *q, struct key_group_write *j)
{
	bool       changes = false;
	struct row r;

	switch (q->stage) {
	case 0:
		query_param(q);
		query_ask_either(q, &sql_lock);
		key_group_cell_ask(q, str_of(j->id));
		return WORK_AGAIN;
	case 1:
		changes = j->change == KEY_GROUP_CREATE ? group_add(q, j) : group_change(q, j);
		if (j->job.err.code != ERR_OK)
			return WORK_DONE;
		j->job.unchanged = !changes;
		key_group_cell_ask(q, str_of(j->id));
		if (changes) {
			query_param(q);
			query_ask_either(q, &sql_version);
		}
		return WORK_LAST;
	default: break;
	}
	/* Writes have no rows; deleting asks three. */
	if (j->change != KEY_GROUP_DELETE && (query_row(q, 0, &r) || query_row(q, 1, &r)))
		(void)!key_group_cell_read(r, &j->arena, &j->now, &j->job.err);
	return WORK_DONE;
}

SQL_OP_WITH(key_group_write, WORK_WRITE, write_group, .keys = true);
