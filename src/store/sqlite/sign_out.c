/* Notes that a session was ended, and forgets the notes that are of no use any more. */
#include "base/limits.h"
#include "store/api_key.h"
#include "store/sqlite/api_key_row.h"
#include "store/sqlite/op.h"

static const char sql_forget[] =
	"DELETE FROM session_ended WHERE (id, secret) IN "
	"(SELECT id, secret FROM session_ended WHERE ends_ms <= ? LIMIT 1000)";
static const char sql_ended[] = "SELECT count(*) FROM session_ended WHERE key = ? AND ends_ms > ?";
static const char sql_end[] =
	"INSERT OR IGNORE INTO session_ended (id, secret, key, ends_ms) VALUES (?,?,?,?)";

static int sign_out_forget(struct session *s, const struct sign_out *j)
{
	struct db_bind b = conn_bind(s->conn, sql_forget);

	db_bind_int(&b, j->now_ms);
	return db_bind_run(&b);
}

static int check_ended(struct session *s, struct sign_out *j)
{
	struct db_bind b = conn_bind(s->conn, sql_ended);
	sqlite3_stmt  *st = b.st;

	db_bind_text(&b, str_of(j->key));
	db_bind_int(&b, j->now_ms);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	if (db_int(st, 0) >= LIMIT_SESSIONS_ENDED)
		err_set(&j->job.err, ERR_OVERLOADED, "",
			"%d sessions of this key were ended in 12 hours, and no more can be; "
			"rotating the key ends all",
			LIMIT_SESSIONS_ENDED);
	return sqlite3_reset(st);
}

static int put_ended(struct session *s, const struct sign_out *j)
{
	struct db_bind b = conn_bind(s->conn, sql_end);

	db_bind_int(&b, j->session.key);
	db_bind_secret(&b, j->session.secret);
	db_bind_text(&b, str_of(j->key));
	db_bind_int(&b, j->ends_ms);
	return db_bind_run(&b);
}

static int end_session(struct session *s, struct sign_out *j)
{
	int rc = check_ended(s, j);

	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = sign_out_forget(s, j);
	if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
		rc = put_ended(s, j);
	return rc;
}

OP_WITH(sign_out, end_session, .settle = api_key_row_settle);
