/* Idempotency keys: one row for each, removed when it is freed or has expired. */
#include "store/sqlite/claim.h"

#include "store/sqlite/kit/row.h"

enum { SWEEP_ROWS = 16 }; /* an answer may be large */

static const char *const sql[CLAIM_SQL__COUNT] = {
	/* The key was looked for before: what is replaced has expired in between, or belongs to
	 * another request that took the key in this moment. */
	[CLAIM_SQL_ADD] = "INSERT OR REPLACE INTO idempotency (id, secret, owner, key, fingerprint, "
			  "created_ms, stored, outcome, http, body, subject, message_from, "
			  "message_to) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[CLAIM_SQL_FIND] = "SELECT fingerprint, http, body FROM idempotency WHERE owner = ? AND key = ?",
	/* An answer has the id of its run.  What is said from events is gone with those. */
	[CLAIM_SQL_FORGET] = "UPDATE idempotency SET http = 410, body = NULL WHERE body IS NOT NULL AND "
			     "(id = ?2 OR (subject = ?1 AND subject > 0 AND "
			     "?2 BETWEEN message_from AND message_to))",
	[CLAIM_SQL_BIND] = "UPDATE idempotency SET outcome = ?, http = ?, body = ? WHERE id = ?",
	[CLAIM_SQL_FREE] = "DELETE FROM idempotency WHERE id = ?",
	[CLAIM_SQL_SWEEP] = "DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency "
			    "INDEXED BY idempotency_age WHERE http > 0 AND created_ms < ? "
			    "ORDER BY created_ms LIMIT ?)",
};

static const char *const find_sql[1] = {
	"SELECT i.fingerprint, i.id, i.secret, i.stored, i.outcome, i.http, i.body, c.id, c.secret "
	"FROM idempotency AS i LEFT JOIN run AS r ON i.stored AND r.id = i.id "
	"LEFT JOIN conversation AS c ON c.id = r.conversation WHERE i.owner = ? AND i.key = ?",
};

enum errc claims_prepare(struct claims *c, sqlite3 *db, struct err *e)
{
	return db_prepare(db, sql, CLAIM_SQL__COUNT, c->st, e);
}

void claims_finish(struct claims *c)
{
	db_finalize(c->st, CLAIM_SQL__COUNT);
}

struct row {
	struct id               run;
	int64_t                 owner;
	int64_t                 created_ms;
	const struct store_key *key;
	bool                    stored;
	enum run_status         outcome;
	struct key_answer       answer;
	int64_t                 subject;
	int64_t                 message_from;
	int64_t                 message_to;
};

static int add(struct claims *c, const struct row *row)
{
	struct db_bind b = db_bind(c->st[CLAIM_SQL_ADD]);

	db_bind_int(&b, row->run.key);
	db_bind_secret(&b, row->run.secret);
	db_bind_int(&b, row->owner);
	db_bind_text(&b, row->key->key);
	db_bind_blob(&b, row->key->fingerprint);
	db_bind_int(&b, row->created_ms);
	db_bind_int(&b, row->stored);
	db_bind_int(&b, (int64_t)row->outcome);
	db_bind_int(&b, row->answer.http);
	if (row->answer.body.n > 0)
		db_bind_blob(&b, row->answer.body);
	else
		db_bind_null(&b);
	db_bind_int(&b, row->subject);
	db_bind_int(&b, row->message_from);
	db_bind_int(&b, row->message_to);
	return db_bind_run(&b);
}

int claim_begin(struct claims *c, const struct turn_begin *j)
{
	if (j->key.key.n == 0)
		return SQLITE_OK;
	return add(c, &(struct row){
			      .run = j->run,
			      .owner = j->owner,
			      .created_ms = j->now_ms,
			      .key = &j->key,
			      .stored = true,
			      .outcome = RUN_RUNNING,
		      });
}

int claim_keep(struct claims *c, const struct key_keep *j)
{
	return add(c, &(struct row){
			      .run = j->run,
			      .owner = j->owner,
			      .created_ms = j->created_ms,
			      .key = &j->key,
			      .outcome = j->outcome,
			      .answer = j->answer,
		      });
}

int claim_end(struct claims *c, const struct turn_end *j)
{
	struct db_bind b;

	if (!j->keyed)
		return SQLITE_OK;
	if (j->key_answer.http == 0) {
		b = db_bind(c->st[CLAIM_SQL_FREE]);
		db_bind_int(&b, j->run.key);
		return db_bind_run(&b);
	}
	b = db_bind(c->st[CLAIM_SQL_BIND]);
	db_bind_int(&b, (int64_t)j->status);
	db_bind_int(&b, j->key_answer.http);
	if (j->key_answer.body.n > 0)
		db_bind_blob(&b, j->key_answer.body);
	else
		db_bind_null(&b);
	db_bind_int(&b, j->run.key);
	return db_bind_run(&b);
}

/* --- what is made without a run --- */

static void replay(sqlite3_stmt *st, struct key_made *m, struct err *e)
{
	int64_t http = db_int(st, 1);

	if (!str_eq(db_blob(st, 0), m->key.fingerprint))
		key_reused(e);
	else if (http == 410)
		err_set(e, ERR_GONE, "",
			"What an earlier request with this Idempotency-Key made has been deleted.");
	else if (!buf_str(&m->answer, db_blob(st, 2)))
		row_no_memory(e);
	else
		m->replayed = true;
}

int claim_replay(struct claims *c, int64_t owner, struct key_made *m, struct err *e)
{
	sqlite3_stmt  *st = c->st[CLAIM_SQL_FIND];
	struct db_bind b = db_bind(st);

	m->replayed = false;
	if (m->key.key.n == 0)
		return SQLITE_OK;
	buf_clear(&m->answer); /* a transaction may be begun again */
	db_bind_int(&b, owner);
	db_bind_text(&b, m->key.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	replay(st, m, e);
	(void)sqlite3_reset(st);
	return SQLITE_OK;
}

int claim_made(struct claims *c, const struct claim_thing *thing, struct key_made *m)
{
	if (m->key.key.n == 0)
		return SQLITE_OK;
	if (!m->print(thing->job, &m->answer))
		return SQLITE_TOOBIG;
	return add(c, &(struct row){
			      .run = id_new(),
			      .owner = thing->owner,
			      .created_ms = thing->now_ms,
			      .key = &m->key,
			      .outcome = RUN_COMPLETED,
			      .answer = { 200, buf_view(&m->answer) },
			      .subject = thing->subject,
			      .message_from = thing->message_from,
			      .message_to = thing->message_to,
		      });
}

int claim_forget(struct claims *c, int64_t conversation, int64_t message)
{
	struct db_bind b = db_bind(c->st[CLAIM_SQL_FORGET]);

	db_bind_int(&b, conversation);
	db_bind_int(&b, message);
	return db_bind_run(&b);
}

int claim_sweep(struct claims *c, int64_t older_ms, bool *ret_again)
{
	sqlite3_stmt  *st = c->st[CLAIM_SQL_SWEEP];
	struct db_bind b = db_bind(st);

	db_bind_int(&b, older_ms);
	db_bind_int(&b, SWEEP_ROWS);
	int rc = db_bind_run(&b);
	*ret_again = rc == SQLITE_OK && sqlite3_changes(sqlite3_db_handle(st)) == SWEEP_ROWS;
	return rc;
}

/* --- reading --- */

enum errc claim_reads_prepare(struct claim_reads *c, sqlite3 *db, struct err *e)
{
	return db_prepare(db, find_sql, 1, c->find, e);
}

void claim_reads_finish(struct claim_reads *c)
{
	db_finalize(c->find, 1);
}

int claim_read(struct claim_reads *c, struct key_read *j)
{
	sqlite3_stmt  *st = c->find[0];
	struct db_bind b = db_bind(st);

	j->found = false;
	buf_clear(&j->bytes);
	db_bind_int(&b, j->owner);
	db_bind_text(&b, j->key.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;

	int64_t outcome = db_int(st, 4);
	rc = outcome < 0 || outcome >= RUN_STATUS__COUNT ? SQLITE_CORRUPT : SQLITE_OK;
	j->found = true;
	j->same = str_eq(db_blob(st, 0), j->key.fingerprint);
	j->run = db_id(db_int(st, 1), st, 2);
	j->stored = db_int(st, 3) != 0;
	j->outcome = (enum run_status)outcome;
	j->answer.http = (int)db_int(st, 5);
	j->conversation = (struct id){ 0 };
	if (sqlite3_column_type(st, 7) != SQLITE_NULL)
		j->conversation = db_id(db_int(st, 7), st, 8);
	/* Where it has no room job.err says so. */
	bool wanted = rc == SQLITE_OK && j->same;
	if (wanted && !buf_str(&j->bytes, db_column(st, 6)))
		row_no_memory(&j->job.err);
	j->answer.body = wanted ? buf_view(&j->bytes) : STR_NONE;
	(void)sqlite3_reset(st);
	return rc;
}
