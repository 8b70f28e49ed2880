/* Writes rows of API keys.
 *
 * Each change locks the row of the table api_key_change first, so that keys are changed one after the other,
 * and a change that is sent again is known by its number. */
#include "base/limits.h"
#include "store/api_key.h"
#include "store/postgres/api_key_cell.h"
#include "store/postgres/keys.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"

static const char sql_lock[] =
	"SELECT version, (SELECT count(*) FROM api_key WHERE revoked_ms = 0) FROM api_key_change "
	"FOR UPDATE";
static const char sql_add[] =
	"INSERT INTO api_key (number, id, owner, sha256, name, scopes, models, metadata, created_ms, "
	"expires_ms, " API_KEY_ALLOWANCE ") SELECT (SELECT coalesce(max(number), 0) + 1 FROM "
	"api_key), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18";
static const char sql_update[] =
	"UPDATE api_key SET name = $2, scopes = $3, models = $4, metadata = $5, expires_ms = $6, "
	"requests = $7, requests_window_us = $8, tokens = $9, tokens_window_us = $10, "
	"concurrent = $11, max_body = $12, budget_nano = $13, budget_tokens = $14, "
	"budget_window_us = $15 WHERE number = $1";
static const char sql_revoke[] = "UPDATE api_key SET revoked_ms = $2 WHERE number = $1";
static const char sql_rotate[] =
	"UPDATE api_key SET old_sha256 = CASE WHEN $3 > 0 THEN sha256 END, sha256 = $2, "
	"old_until_ms = $3, rotated_ms = $4 WHERE number = $1 AND sha256 <> $2";
static const char sql_version[] = "UPDATE api_key_change SET version = version + 1";

enum { KEY_LOCK, KEY_OWN, KEY_SHARES };

static void key_allowance(struct param *a, const struct allowance *limits,
			  const struct allowance *budget)
{
	param_int(a, limits->requests);
	param_int(a, limits->requests_window_us);
	param_int(a, limits->tokens);
	param_int(a, limits->tokens_window_us);
	param_int(a, limits->concurrent);
	param_int(a, limits->max_body);
	param_int(a, budget->budget_nano);
	param_int(a, budget->budget_tokens);
	param_int(a, budget->budget_window_us);
}

static struct str key_digest(const struct api_key_write *j)
{
	return (struct str){ (const char *)j->sha256, HASH_BYTES };
}

/* key_add: false: it is refused, or was made by an earlier try. */
static bool key_add(struct work *w, struct api_key_write *j)
{
	struct store_api_key other;
	struct err          *e = &j->job.err;
	struct param        *a;

	if (w->tries > 0 && work_rows(w, KEY_OWN) > 0)
		return false;
	if (cell_int(work_row(w, KEY_LOCK, 0), 1) >= LIMIT_API_KEYS) {
		err_set(e, ERR_OVERLOADED, "",
			"there are %d keys, and there can't be more; revoke some", LIMIT_API_KEYS);
		return false;
	}
	other.owner = j->owner;
	if (j->shares.n > 0 && !api_key_cell_find(w, KEY_SHARES, "shares", &j->arena, &other, e))
		return false;
	a = work_param(w);
	param_text(a, str_of(j->id));
	param_int(a, other.owner);
	param_bytes(a, key_digest(j));
	param_bytes(a, j->name);
	param_int(a, j->scopes);
	param_maybe(a, j->models);
	param_maybe(a, j->metadata);
	param_int(a, j->now_ms);
	param_int(a, j->expires_ms);
	key_allowance(a, &j->allowance, &j->allowance);
	work_ask(w, sql_add);
	return true;
}

static void key_update(struct work *w, const struct api_key_write *j)
{
	const struct store_api_key *was = &j->now;
	struct param               *a = work_param(w);
	struct str                  metadata = j->metadata_set ? j->metadata : was->metadata;

	param_int(a, was->number);
	param_bytes(a, j->name_set ? j->name : was->name);
	param_int(a, j->scopes_set ? j->scopes : was->scopes);
	param_maybe(a, j->models_set ? j->models : was->models);
	param_maybe(a, metadata);
	param_int(a, j->expires_set ? j->expires_ms : was->expires_ms);
	key_allowance(a, j->limits_set ? &j->allowance : &was->allowance,
		      j->budget_set ? &j->allowance : &was->allowance);
	work_ask(w, sql_update);
}

static void key_revoke(struct work *w, const struct api_key_write *j)
{
	struct param *a = work_param(w);

	param_int(a, j->now.number);
	param_int(a, j->now_ms);
	work_ask(w, sql_revoke);
}

static void key_rotate(struct work *w, const struct api_key_write *j)
{
	struct param *a = work_param(w);

	param_int(a, j->now.number);
	param_bytes(a, key_digest(j));
	param_int(a, j->old_until_ms);
	param_int(a, j->now_ms);
	work_ask(w, sql_rotate);
}

/* key_change: changes an existing key; false: nothing is to be changed. */
static bool key_change(struct work *w, struct api_key_write *j)
{
	struct err *e = &j->job.err;

	if (!api_key_cell_find(w, KEY_OWN, "", &j->arena, &j->now, e))
		return false;
	if (j->change == API_KEY_REVOKE) {
		if (j->now.revoked_ms > 0)
			return false;
		key_revoke(w, j);
		return true;
	}
	if (j->now.revoked_ms > 0) {
		err_set(e, ERR_GONE, "", "this key is revoked; create a new one");
		return false;
	}
	if (j->change == API_KEY_UPDATE)
		key_update(w, j);
	else
		key_rotate(w, j);
	return true;
}

static enum work_next api_key_write_write_key(struct work *w, struct api_key_write *j)
{
	bool changes = false;

	switch (w->stage) {
	case 0:
		work_param(w);
		work_ask(w, sql_lock);
		api_key_cell_lock(w, str_of(j->id));
		api_key_cell_ask(w, j->shares);
		return WORK_AGAIN;
	case 1:
		changes = j->change == API_KEY_CREATE ? key_add(w, j) : key_change(w, j);
		if (j->job.err.code != ERR_OK)
			return WORK_DONE;
		api_key_cell_ask(w, str_of(j->id));
		if (changes) {
			work_param(w);
			work_ask(w, sql_version);
		}
		keys_ask(w);
		return WORK_LAST;
	default: break;
	}
	/* The rows of the key and of the ring are the last results. */
	size_t last = w->link->result_count;
	size_t own = w->link->result_count >= KEYS_RESULTS + 3 ? 1 : 0;
	(void)!api_key_cell_find(w, own, "", &j->arena, &j->now, &j->job.err);
	/* The ring changes before the answer, so that a revoked key is refused after it. */
	keys_take(w, last - KEYS_RESULTS);
	return WORK_DONE;
}

OP(api_key_write, WORK_WRITE, api_key_write_write_key);
