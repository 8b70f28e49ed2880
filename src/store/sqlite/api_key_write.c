/* Writes rows of API keys. */
#include "base/limits.h"
#include "store/api_key.h"
#include "store/sqlite/api_key_row.h"
#include "store/sqlite/op.h"

static const char sql_count[] = "SELECT count(*) FROM api_key WHERE revoked_ms = 0";
static const char sql_add[] =
	"INSERT INTO api_key (id, owner, sha256, name, scopes, models, metadata, "
	"created_ms, expires_ms, requests, requests_window_us, tokens, tokens_window_us, "
	"concurrent, max_body, budget_nano, budget_tokens, budget_window_us) "
	"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
static const char sql_update[] =
	"UPDATE api_key SET name = ?2, scopes = ?3, models = ?4, metadata = ?5, "
	"expires_ms = ?6, requests = ?7, requests_window_us = ?8, tokens = ?9, "
	"tokens_window_us = ?10, concurrent = ?11, max_body = ?12, budget_nano = ?13, "
	"budget_tokens = ?14, budget_window_us = ?15 WHERE number = ?1";
static const char sql_revoke[] = "UPDATE api_key SET revoked_ms = ?2 WHERE number = ?1";
static const char sql_rotate[] =
	"UPDATE api_key SET old_sha256 = iif(?3 > 0, sha256, NULL), sha256 = ?2, "
	"old_until_ms = ?3, rotated_ms = ?4 WHERE number = ?1";

static struct str api_key_write_digest(const struct api_key_write *j)
{
	return (struct str){ (const char *)j->sha256, HASH_BYTES };
}

static int check_count(struct session *s, struct err *e)
{
	sqlite3_stmt *st;
	int           rc = conn_row(s->conn, sql_count, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (db_int(st, 0) >= LIMIT_API_KEYS)
		err_set(e, ERR_OVERLOADED, "",
			"there are %d keys, and there can't be more; revoke some", LIMIT_API_KEYS);
	return sqlite3_reset(st);
}

static void bind_allowance(struct db_bind *b, const struct allowance *limits,
			   const struct allowance *budget)
{
	db_bind_int(b, limits->requests);
	db_bind_int(b, limits->requests_window_us);
	db_bind_int(b, limits->tokens);
	db_bind_int(b, limits->tokens_window_us);
	db_bind_int(b, limits->concurrent);
	db_bind_int(b, limits->max_body);
	db_bind_int(b, budget->budget_nano);
	db_bind_int(b, budget->budget_tokens);
	db_bind_int(b, budget->budget_window_us);
}

static int api_key_write_add(struct session *s, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int64_t     owner = j->owner;
	int         rc = check_count(s, e);

	if (rc == SQLITE_OK && e->code == ERR_OK && j->shares.n > 0) {
		struct store_api_key other;

		rc = api_key_row_find(s->conn, j->shares, "shares", &j->arena, &other, e);
		if (rc == SQLITE_OK && e->code == ERR_OK)
			owner = other.owner;
	}
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;

	struct db_bind b = conn_bind(s->conn, sql_add);
	db_bind_text(&b, str_of(j->id));
	db_bind_int(&b, owner);
	db_bind_blob(&b, api_key_write_digest(j));
	db_bind_text(&b, j->name);
	db_bind_int(&b, j->scopes);
	db_bind_maybe(&b, j->models);
	db_bind_maybe(&b, j->metadata);
	db_bind_int(&b, j->now_ms);
	db_bind_int(&b, j->expires_ms);
	bind_allowance(&b, &j->allowance, &j->allowance);
	return db_bind_run(&b);
}

static int api_key_write_update(struct session *s, const struct api_key_write *j)
{
	const struct store_api_key *was = &j->now;
	struct db_bind              b = conn_bind(s->conn, sql_update);

	db_bind_int(&b, was->number);
	db_bind_text(&b, j->name_set ? j->name : was->name);
	db_bind_int(&b, j->scopes_set ? j->scopes : was->scopes);
	db_bind_maybe(&b, j->models_set ? j->models : was->models);
	db_bind_maybe(&b, j->metadata_set ? j->metadata : was->metadata);
	db_bind_int(&b, j->expires_set ? j->expires_ms : was->expires_ms);
	bind_allowance(&b, j->limits_set ? &j->allowance : &was->allowance,
		       j->budget_set ? &j->allowance : &was->allowance);
	return db_bind_run(&b);
}

static int revoke(struct session *s, const struct api_key_write *j)
{
	struct db_bind b = conn_bind(s->conn, sql_revoke);

	if (j->now.revoked_ms > 0)
		return SQLITE_OK;
	db_bind_int(&b, j->now.number);
	db_bind_int(&b, j->now_ms);
	return db_bind_run(&b);
}

static int api_key_write_rotate(struct session *s, const struct api_key_write *j)
{
	struct db_bind b = conn_bind(s->conn, sql_rotate);

	db_bind_int(&b, j->now.number);
	db_bind_blob(&b, api_key_write_digest(j));
	db_bind_int(&b, j->old_until_ms);
	db_bind_int(&b, j->now_ms);
	return db_bind_run(&b);
}

/* api_key_write_change: changes an existing key. */
static int api_key_write_change(struct session *s, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int         rc = api_key_row_find(s->conn, str_of(j->id), "", &j->arena, &j->now, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (j->change == API_KEY_REVOKE)
		return revoke(s, j);
	if (j->now.revoked_ms > 0) {
		err_set(e, ERR_GONE, "", "this key is revoked; create a new one");
		return SQLITE_OK;
	}
	return j->change == API_KEY_UPDATE ? api_key_write_update(s, j)
					   : api_key_write_rotate(s, j);
}

static int write_key(struct session *s, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int rc = j->change == API_KEY_CREATE ? api_key_write_add(s, j) : api_key_write_change(s, j);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	return api_key_row_find(s->conn, str_of(j->id), "", &j->arena, &j->now, e);
}

OP_WITH(api_key_write, write_key, .settle = api_key_row_settle);
