/* Writes rows of API keys.
 *
 * Each change locks the row of the table api_key_change first, so that keys are changed one after the other,
 * and a change that is sent again is known by its number. */
#include "base/identity.h"
#include "base/limits.h"
#include "store/api_key.h"
#include "store/sql/cells.h"

#define LOCK(E)                                                                     \
	"SELECT version, (SELECT count(*) FROM api_key WHERE revoked_ms = 0) FROM " \
	"api_key_change" E##_FOR_UPDATE
static const struct sql sql_lock = SQL_EITHER(LOCK);
static const char       sql_add[] =
	"INSERT INTO api_key (number, id, owner, sha256, name, scopes, models, metadata, created_ms, "
	"expires_ms, " API_KEY_ALLOWANCE
	", keep_ms, key_group) SELECT (SELECT coalesce(max(number), 0) + 1 FROM "
	"api_key), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, "
	"$20, $21, $22, $23";
static const char sql_update[] =
	"UPDATE api_key SET name = $2, scopes = $3, models = $4, metadata = $5, expires_ms = $6, "
	"requests = $7, requests_window_us = $8, tokens = $9, tokens_window_us = $10, "
	"concurrent = $11, max_body = $12, budget_nano = $13, budget_tokens = $14, "
	"budget_window_us = $15, each_tag = $16, each_nano = $17, each_window_us = $18, "
	"keep_ms = $19, key_group = $20 WHERE number = $1";
static const char sql_revoke[] = "UPDATE api_key SET revoked_ms = $2 WHERE number = $1";
static const char sql_rotate[] =
	"UPDATE api_key SET old_sha256 = CASE WHEN $3 > 0 THEN sha256 END, sha256 = $2, "
	"old_until_ms = $3, rotated_ms = $4 WHERE number = $1 AND sha256 <> $2";
/* In SQLite a trigger does it. */
static const struct sql sql_version = { NULL, "UPDATE api_key_change SET version = version + 1" };

static const char sql_group[] = "SELECT 1 FROM key_group WHERE id = $1";

enum { KEY_LOCK, KEY_OWN, KEY_SHARES, KEY_GROUP };

/* key_bits: what the column of the scopes has. */
static int64_t key_bits(unsigned scopes, bool caches)
{
	return scopes | (caches ? KEY_CACHES : 0);
}

static struct str key_digest(const struct api_key_write *j)
{
	return (struct str){ (const char *)j->sha256, HASH_BYTES };
}

/* key_grouped: whether the group that is asked for exists; it can't be deleted before the end of the write, as that
 * locks the same row. */
static bool key_grouped(struct query *q, struct api_key_write *j)
{
	struct row r;

	if (j->group.n == 0 || query_row(q, KEY_GROUP, &r))
		return true;
	err_set(&j->job.err, ERR_NOT_FOUND, "group", "there is no such group");
	return false;
}

/* key_add: false: it is refused, or was made by an earlier try. */
static bool key_add(struct query *q, struct api_key_write *j)
{
	struct store_api_key other;
	struct err          *e = &j->job.err;
	struct param        *a;
	struct row           r;

	if (q->again && query_row(q, KEY_OWN, &r))
		return false;
	if (query_row(q, KEY_LOCK, &r) && cell_int(r, 1) >= LIMIT_API_KEYS) {
		err_set(e, ERR_OVERLOADED, "",
			"there are %d keys, and there can't be more; revoke some", LIMIT_API_KEYS);
		return false;
	}
	other.owner = j->owner;
	if (j->shares.n > 0 && !api_key_cell_find(q, KEY_SHARES, "shares", &j->arena, &other, e))
		return false;
	if (!key_grouped(q, j))
		return false;
	a = query_param(q);
	param_text(a, str_of(j->id));
	param_int(a, other.owner);
	param_bytes(a, key_digest(j));
	param_raw(a, j->name);
	param_int(a, key_bits(j->scopes, j->caches));
	param_maybe(a, j->models);
	param_maybe(a, j->metadata);
	param_int(a, j->now_ms);
	param_int(a, j->expires_ms);
	api_key_cell_set(a, &j->allowed, NULL);
	param_int(a, j->keep_ms);
	param_maybe(a, j->group);
	query_ask(q, sql_add);
	return true;
}

static void key_update(struct query *q, const struct api_key_write *j)
{
	const struct store_api_key *was = &j->now;
	struct param               *a = query_param(q);
	struct str                  metadata = j->metadata_set ? j->metadata : was->metadata;

	param_int(a, was->number);
	param_raw(a, j->name_set ? j->name : was->name);
	param_int(a, key_bits(j->scopes_set ? j->scopes : was->scopes,
			      j->caches_set ? j->caches : was->caches));
	param_maybe(a, j->models_set ? j->models : was->models);
	param_maybe(a, metadata);
	param_int(a, j->expires_set ? j->expires_ms : was->expires_ms);
	api_key_cell_set(a, &j->allowed, &was->allowance);
	param_int(a, j->keep_set ? j->keep_ms : was->keep_ms);
	param_maybe(a, j->group_set ? j->group : str_of(was->group));
	query_ask(q, sql_update);
}

static void key_revoke(struct query *q, const struct api_key_write *j)
{
	struct param *a = query_param(q);

	param_int(a, j->now.number);
	param_int(a, j->now_ms);
	query_ask(q, sql_revoke);
}

static void key_rotate(struct query *q, const struct api_key_write *j)
{
	struct param *a = query_param(q);

	param_int(a, j->now.number);
	param_bytes(a, key_digest(j));
	param_int(a, j->old_until_ms);
	param_int(a, j->now_ms);
	query_ask(q, sql_rotate);
}

/* key_change: changes an existing key; false: nothing is to be changed. */
static bool key_change(struct query *q, struct api_key_write *j)
{
	struct err *e = &j->job.err;

	if (!api_key_cell_find(q, KEY_OWN, "", &j->arena, &j->now, e))
		return false;
	if (j->change == API_KEY_REVOKE) {
		if (j->now.revoked_ms > 0)
			return false;
		key_revoke(q, j);
		return true;
	}
	if (j->now.revoked_ms > 0) {
		err_set(e, ERR_GONE, "", "this key is revoked; create a new one");
		return false;
	}
	if (!key_grouped(q, j))
		return false;
	if (j->change == API_KEY_UPDATE)
		key_update(q, j);
	else
		key_rotate(q, j);
	return true;
}

static enum work_next write_key(struct query *q, struct api_key_write *j)
{
	bool       changes = false;
	struct row r;

	switch (q->stage) {
	case 0:
		query_param(q);
		query_ask_either(q, &sql_lock);
		api_key_cell_ask(q, str_of(j->id), true);
		api_key_cell_ask(q, j->shares, false);
		param_text(query_param(q), j->group);
		query_ask(q, sql_group);
		return WORK_AGAIN;
	case 1:
		changes = j->change == API_KEY_CREATE ? key_add(q, j) : key_change(q, j);
		if (j->job.err.code != ERR_OK)
			return WORK_DONE;
		j->job.unchanged = !changes;
		api_key_cell_ask(q, str_of(j->id), false);
		if (changes) {
			query_param(q);
			query_ask_either(q, &sql_version);
		}
		return WORK_LAST;
	default: break;
	}
	/* Writes have no rows. */
	if (query_row(q, 0, &r) || query_row(q, 1, &r))
		(void)!api_key_cell_read(r, &j->arena, &j->now, &j->job.err);
	return WORK_DONE;
}

SQL_OP_WITH(api_key_write, WORK_WRITE, write_key, .keys = true);
