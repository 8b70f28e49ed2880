/* Notes that a session was ended, and forgets the notes that are of no use any more. */
#include "base/limits.h"
#include "store/api_key.h"
#include "store/postgres/keys.h"
#include "store/postgres/lease.h"
#include "store/postgres/operation.h"

/* Sessions are ended one after the other, as keys are changed (api_key_write.c). */
static const char sql_lock[] = "SELECT version FROM api_key_change FOR UPDATE";
static const char sql_ended[] =
	"SELECT count(*), (SELECT count(*) FROM session_ended WHERE id = $3 AND secret = $4) "
	"FROM session_ended WHERE key = $1 AND ends_ms > $2";
static const char sql_forget[] =
	"DELETE FROM session_ended WHERE (id, secret) IN "
	"(SELECT id, secret FROM session_ended WHERE ends_ms <= $1 LIMIT 1000)";
static const char sql_end[] =
	"WITH added AS (INSERT INTO session_ended (id, secret, key, ends_ms) "
	"VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1) "
	"UPDATE api_key_change SET version = version + 1 WHERE EXISTS (SELECT 1 FROM added)";

enum { SIGN_OUT_FIRST = 2 }; /* the results that are not the ring's */

static void sign_out_look(struct work *w, const struct sign_out *j)
{
	struct param *a;

	work_param(w);
	work_ask(w, sql_lock);
	a = work_param(w);
	param_text(a, str_of(j->key));
	param_int(a, j->now_ms);
	param_int(a, j->session.key);
	param_secret(a, j->session.secret);
	work_ask(w, sql_ended);
}

static void sign_out_put(struct work *w, const struct sign_out *j)
{
	int64_t       now_ms = lease_now_ms(w->db);
	struct param *a = work_param(w);

	/* A clock that is ahead may not forget sessions that others would take again. */
	param_int(a, now_ms < j->now_ms ? now_ms : j->now_ms);
	work_ask(w, sql_forget);
	a = work_param(w);
	param_int(a, j->session.key);
	param_secret(a, j->session.secret);
	param_text(a, str_of(j->key));
	param_int(a, j->ends_ms);
	work_ask(w, sql_end);
	keys_ask(w);
}

static enum work_next sign_out_end(struct work *w, struct sign_out *j)
{
	switch (w->stage) {
	case 0: sign_out_look(w, j); return WORK_AGAIN;
	case 1:
		/* A session that is noted already, by an earlier try for one, adds nothing. */
		if (cell_int(work_row(w, 1, 0), 0) >= LIMIT_SESSIONS_ENDED &&
		    cell_int(work_row(w, 1, 0), 1) == 0) {
			err_set(&j->job.err, ERR_OVERLOADED, "",
				"%d sessions of this key were ended in 12 hours, and no more can be; "
				"rotating the key ends all",
				LIMIT_SESSIONS_ENDED);
			return WORK_DONE;
		}
		sign_out_put(w, j);
		return WORK_LAST;
	default: break;
	}
	/* The ring changes before the answer, so that an ended session is refused after it. */
	keys_take(w, SIGN_OUT_FIRST);
	return WORK_DONE;
}

OP(sign_out, WORK_WRITE, sign_out_end);
