/* Rows of API keys, on their way in. */
#include "store/sqlite/api_key_write.h"

#include "base/limits.h"

enum { USED_STEP = 128 }; /* rows of one transaction */

static const char *const sql[API_KEY_WRITE_SQL__COUNT] = {
	[API_KEY_WRITE_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[API_KEY_WRITE_SQL_COMMIT] = "COMMIT",
	[API_KEY_WRITE_SQL_COUNT] = "SELECT count(*) FROM api_key WHERE revoked_ms = 0",
	[API_KEY_WRITE_SQL_ADD] =
		("INSERT INTO api_key (id, owner, sha256, name, scopes, models, metadata, "
		 "created_ms, expires_ms, requests, requests_window_us, tokens, tokens_window_us, "
		 "concurrent, max_body, budget_nano, budget_tokens, budget_window_us) "
		 "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
	[API_KEY_WRITE_SQL_UPDATE] =
		("UPDATE api_key SET name = ?2, scopes = ?3, models = ?4, metadata = ?5, "
		 "expires_ms = ?6, requests = ?7, requests_window_us = ?8, tokens = ?9, "
		 "tokens_window_us = ?10, concurrent = ?11, max_body = ?12, budget_nano = ?13, "
		 "budget_tokens = ?14, budget_window_us = ?15 WHERE number = ?1"),
	[API_KEY_WRITE_SQL_REVOKE] = "UPDATE api_key SET revoked_ms = ?2 WHERE number = ?1",
	[API_KEY_WRITE_SQL_ROTATE] =
		("UPDATE api_key SET old_sha256 = iif(?3 > 0, sha256, NULL), sha256 = ?2, "
		 "old_until_ms = ?3, rotated_ms = ?4 WHERE number = ?1"),
	[API_KEY_WRITE_SQL_USED] =
		"UPDATE api_key SET used_ms = ?2 WHERE number = ?1 AND used_ms < ?2",
};

enum errc api_key_writes_prepare(struct api_key_writes *w, sqlite3 *db, struct err *e)
{
	w->db = db;
	if (api_key_rows_prepare(&w->rows, db, e) != ERR_OK)
		return e->code;
	return db_prepare(db, sql, API_KEY_WRITE_SQL__COUNT, w->st, e);
}

void api_key_writes_finish(struct api_key_writes *w)
{
	db_finalize(w->st, API_KEY_WRITE_SQL__COUNT);
	api_key_rows_finish(&w->rows);
}

static struct str digest(const struct api_key_write *j)
{
	return (struct str){ (const char *)j->sha256, HASH_BYTES };
}

static int check_count(struct api_key_writes *w, struct err *e)
{
	sqlite3_stmt *st = w->st[API_KEY_WRITE_SQL_COUNT];
	int           rc = db_row(st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (db_int(st, 0) >= LIMIT_API_KEYS)
		err_set(e, ERR_OVERLOADED, "", "there are %d keys, and there can't be more; revoke some",
		        LIMIT_API_KEYS);
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

static int add(struct api_key_writes *w, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int64_t     owner = j->owner;
	int         rc = check_count(w, e);

	if (rc == SQLITE_OK && e->code == ERR_OK && j->shares.n > 0) {
		struct store_api_key other;

		rc = api_key_rows_one(&w->rows, j->shares, "shares", &j->arena, &other, e);
		if (rc == SQLITE_OK && e->code == ERR_OK)
			owner = other.owner;
	}
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;

	struct db_bind b = db_bind(w->st[API_KEY_WRITE_SQL_ADD]);
	db_bind_text(&b, str_of(j->id));
	db_bind_int(&b, owner);
	db_bind_blob(&b, digest(j));
	db_bind_text(&b, j->name);
	db_bind_int(&b, j->scopes);
	db_bind_maybe(&b, j->models);
	db_bind_maybe(&b, j->metadata);
	db_bind_int(&b, j->now_ms);
	db_bind_int(&b, j->expires_ms);
	bind_allowance(&b, &j->allowance, &j->allowance);
	return db_bind_run(&b);
}

static int update(struct api_key_writes *w, const struct api_key_write *j)
{
	const struct store_api_key *was = &j->now;
	struct db_bind              b = db_bind(w->st[API_KEY_WRITE_SQL_UPDATE]);

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

static int revoke(struct api_key_writes *w, const struct api_key_write *j)
{
	struct db_bind b = db_bind(w->st[API_KEY_WRITE_SQL_REVOKE]);

	if (j->now.revoked_ms > 0)
		return SQLITE_OK;
	db_bind_int(&b, j->now.number);
	db_bind_int(&b, j->now_ms);
	return db_bind_run(&b);
}

static int rotate(struct api_key_writes *w, const struct api_key_write *j)
{
	struct db_bind b = db_bind(w->st[API_KEY_WRITE_SQL_ROTATE]);

	db_bind_int(&b, j->now.number);
	db_bind_blob(&b, digest(j));
	db_bind_int(&b, j->old_until_ms);
	db_bind_int(&b, j->now_ms);
	return db_bind_run(&b);
}

/* change: of one that is there. */
static int change(struct api_key_writes *w, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int         rc = api_key_rows_one(&w->rows, str_of(j->id), "", &j->arena, &j->now, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (j->change == API_KEY_REVOKE)
		return revoke(w, j);
	if (j->now.revoked_ms > 0) {
		err_set(e, ERR_GONE, "", "This key is revoked; make a new one.");
		return SQLITE_OK;
	}
	return j->change == API_KEY_UPDATE ? update(w, j) : rotate(w, j);
}

int api_key_write_run(struct api_key_writes *w, struct api_key_write *j)
{
	struct err *e = &j->job.err;
	int         rc = j->change == API_KEY_CREATE ? add(w, j) : change(w, j);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	return api_key_rows_one(&w->rows, str_of(j->id), "", &j->arena, &j->now, e);
}

int api_key_write_load(struct api_key_writes *w, struct key_ring *ring)
{
	int rc = db_exec(w->db, "BEGIN");

	if (rc == SQLITE_OK)
		rc = api_key_rows_load(&w->rows, ring);
	api_key_rows_reset(&w->rows);
	if (rc == SQLITE_OK)
		rc = db_exec(w->db, "COMMIT");
	if (rc != SQLITE_OK)
		db_rollback(w->db);
	return rc;
}

static int put_used(struct api_key_writes *w, struct identity *const *used, const int64_t *when,
                    size_t n)
{
	int rc = db_run(w->st[API_KEY_WRITE_SQL_BEGIN]);

	for (size_t i = 0; rc == SQLITE_OK && i < n; i++) {
		struct db_bind b = db_bind(w->st[API_KEY_WRITE_SQL_USED]);

		db_bind_int(&b, used[i]->number);
		db_bind_int(&b, when[i]);
		rc = db_bind_run(&b);
	}
	if (rc == SQLITE_OK)
		rc = db_run(w->st[API_KEY_WRITE_SQL_COMMIT]);
	if (rc != SQLITE_OK)
		db_rollback(w->db);
	return rc;
}

int api_key_write_used(struct api_key_writes *w, struct key_ring *ring, bool *ret_again)
{
	struct identity *used[USED_STEP];
	int64_t          when[USED_STEP];
	size_t           n = key_ring_used(ring, used, USED_STEP);

	for (size_t i = 0; i < n; i++)
		when[i] = atomic_load(&used[i]->used_ms);
	int rc = n > 0 ? put_used(w, used, when, n) : SQLITE_OK;
	for (size_t i = 0; i < n; i++) {
		if (rc == SQLITE_OK)
			atomic_store(&used[i]->noted_ms, when[i]);
		identity_release(used[i]);
	}
	*ret_again = key_ring_is_used(ring);
	return rc;
}
