/* Notes that a session was ended, and forgets the notes that are of no use any more. */
#include "base/limits.h"
#include "store/api_key.h"
#include "store/sql/query.h"

/* Sessions are ended one after the other, as keys are changed (api_key_write.c). */
#define LOCK(E) "SELECT version FROM api_key_change" E##_FOR_UPDATE
static const struct sql sql_lock = SQL_EITHER(LOCK);
static const char       sql_ended[] =
	"SELECT count(*), (SELECT count(*) FROM session_ended WHERE id = $3 AND secret = $4) "
	"FROM session_ended WHERE key = $1 AND ends_ms > $2";
static const char sql_forget[] =
	"DELETE FROM session_ended WHERE (id, secret) IN "
	"(SELECT id, secret FROM session_ended WHERE ends_ms <= $1 LIMIT 1000)";
static const struct sql sql_end = {
	"INSERT OR IGNORE INTO session_ended (id, secret, key, ends_ms) VALUES ($1, $2, $3, $4)",
	"WITH added AS (INSERT INTO session_ended (id, secret, key, ends_ms) "
	"VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1) "
	"UPDATE api_key_change SET version = version + 1 WHERE EXISTS (SELECT 1 FROM added)",
};

static void sign_out_look(struct query *q, const struct sign_out *j)
{
	struct param *a;

	query_param(q);
	query_ask_either(q, &sql_lock);
	a = query_param(q);
	param_text(a, str_of(j->key));
	param_int(a, j->now_ms);
	param_int(a, j->session.key);
	param_secret(a, j->session.secret);
	query_ask(q, sql_ended);
}

static void sign_out_put(struct query *q, const struct sign_out *j)
{
	struct param *a = query_param(q);

	/* A clock that is ahead may not forget sessions that others would take again. */
	param_int(a, q->now_ms < j->now_ms ? q->now_ms : j->now_ms);
	query_ask(q, sql_forget);
	a = query_param(q);
	param_int(a, j->session.key);
	param_secret(a, j->session.secret);
	param_text(a, str_of(j->key));
	param_int(a, j->ends_ms);
	query_ask_either(q, &sql_end);
}

static enum work_next sign_out_end(struct query *q, struct sign_out *j)
{
	struct row r;

	switch (q->stage) {
	case 0: sign_out_look(q, j); return WORK_AGAIN;
	case 1:
		/* A session that is noted already, by an earlier try for one, adds nothing. */
		j->job.unchanged = query_row(q, 1, &r) && cell_int(r, 1) > 0;
		if (!j->job.unchanged && cell_int(r, 0) >= LIMIT_SESSIONS_ENDED) {
			err_set(&j->job.err, ERR_OVERLOADED, "",
				"%d sessions of this key were ended before their time, and no more can be; "
				"rotating the key ends all",
				LIMIT_SESSIONS_ENDED);
			return WORK_DONE;
		}
		sign_out_put(q, j);
		return WORK_LAST;
	default: return WORK_DONE;
	}
}

SQL_OP_WITH(sign_out, WORK_WRITE, sign_out_end, .keys = true);
