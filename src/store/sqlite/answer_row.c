/* Names of kept answers: one row for each, removed when it is freed or has expired. */
#include "store/sqlite/answer_row.h"
#include "store/sql/cells.h"
#include "store/turn.h"

#include "store/sqlite/kit/conn.h"

enum { SWEEP_ROWS = 16 }; /* an answer may be large */

/* The name was read before. A row that is replaced here has expired meanwhile, or belongs to another
 * request that has just taken the name. */
static const char sql_add[] =
	"INSERT OR REPLACE INTO idempotency (id, secret, owner, key, fingerprint, "
	"created_ms, stored, outcome, http, body, subject, message_from, "
	"message_to) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)";
/* An answer has the id of its run. An answer that is told from events ends with them. */
static const char sql_forget[] =
	"UPDATE idempotency SET http = 410, body = NULL WHERE body IS NOT NULL AND "
	"(id = ?2 OR (subject = ?1 AND subject > 0 AND "
	"?2 BETWEEN message_from AND message_to))";
static const char sql_bind[] =
	"UPDATE idempotency SET outcome = ?, http = ?, body = ? WHERE id = ?";
static const char sql_free[] = "DELETE FROM idempotency WHERE id = ?";
static const char sql_sweep[] = "DELETE FROM idempotency WHERE id IN (SELECT id FROM idempotency "
				"INDEXED BY idempotency_age WHERE http > 0 AND created_ms < ? "
				"ORDER BY created_ms LIMIT ?)";

struct answer_row {
	struct id                 run;
	int64_t                   owner;
	int64_t                   created_ms;
	const struct answer_name *key;
	bool                      stored;
	enum run_status           outcome;
	struct kept_answer        answer;
	int64_t                   subject;
	int64_t                   message_from;
	int64_t                   message_to;
};

static int answer_row_add(struct conn *c, const struct answer_row *row)
{
	struct db_bind b = conn_bind(c, sql_add);

	db_bind_int(&b, row->run.key);
	db_bind_secret(&b, row->run.secret);
	db_bind_int(&b, row->owner);
	db_bind_text(&b, row->key->key);
	db_bind_blob(&b, row->key->digest);
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

int answer_row_begin(struct conn *c, const struct turn_begin *j)
{
	if (j->key.key.n == 0)
		return SQLITE_OK;
	return answer_row_add(c, &(struct answer_row){
					 .run = j->run,
					 .owner = j->owner,
					 .created_ms = j->now_ms,
					 .key = &j->key,
					 .stored = true,
					 .outcome = RUN_RUNNING,
				 });
}

int answer_row_keep(struct conn *c, const struct answer_keep *j)
{
	return answer_row_add(c, &(struct answer_row){
					 .run = j->run,
					 .owner = j->owner,
					 .created_ms = j->created_ms,
					 .key = &j->key,
					 .outcome = j->outcome,
					 .answer = j->answer,
				 });
}

int answer_row_end(struct conn *c, const struct turn_end *j)
{
	struct db_bind b;

	if (!j->keyed)
		return SQLITE_OK;
	if (j->kept_answer.http == 0) {
		b = conn_bind(c, sql_free);
		db_bind_int(&b, j->run.key);
		return db_bind_run(&b);
	}
	b = conn_bind(c, sql_bind);
	db_bind_int(&b, (int64_t)j->status);
	db_bind_int(&b, j->kept_answer.http);
	if (j->kept_answer.body.n > 0)
		db_bind_blob(&b, j->kept_answer.body);
	else
		db_bind_null(&b);
	db_bind_int(&b, j->run.key);
	return db_bind_run(&b);
}

/* --- what is made without a run --- */

int answer_row_replay(struct conn *c, int64_t owner, struct answer_made *m, struct err *e)
{
	m->replayed = false;
	if (m->key.key.n == 0)
		return SQLITE_OK;

	struct db_bind b = conn_bind(c, answer_cell_find);
	buf_clear(&m->answer); /* the transaction may be repeated */
	db_bind_int(&b, owner);
	db_bind_text(&b, m->key.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	answer_cell_replay(row_of(b.st), m, e);
	(void)sqlite3_reset(b.st);
	return SQLITE_OK;
}

int answer_row_made(struct conn *c, const struct answer_object *thing, struct answer_made *m)
{
	if (m->key.key.n == 0)
		return SQLITE_OK;
	if (!m->print(thing->job, &m->answer))
		return SQLITE_TOOBIG;
	return answer_row_add(c, &(struct answer_row){
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

int answer_row_forget(struct conn *c, int64_t conversation, int64_t message)
{
	struct db_bind b = conn_bind(c, sql_forget);

	db_bind_int(&b, conversation);
	db_bind_int(&b, message);
	return db_bind_run(&b);
}

int answer_row_sweep(struct conn *c, int64_t older_ms, bool *ret_again)
{
	struct db_bind b = conn_bind(c, sql_sweep);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, older_ms);
	db_bind_int(&b, SWEEP_ROWS);
	int rc = db_bind_run(&b);
	*ret_again = rc == SQLITE_OK && sqlite3_changes(sqlite3_db_handle(st)) == SWEEP_ROWS;
	return rc;
}
