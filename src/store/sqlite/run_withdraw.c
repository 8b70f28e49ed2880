/* Cancels a run that has ended in front of code that waits for an approval. */
#include "store/run.h"
#include "store/sqlite/op.h"

static const char sql_withdraw[] =
	"UPDATE run SET status = 5, finish_reason = NULL, native_reason = NULL, error = ?4 "
	"WHERE id = ?1 AND secret = ?2 AND owner = ?3 AND status = 2 "
	"AND finish_reason = 'confirmation' AND EXISTS (SELECT 1 FROM conversation c "
	"WHERE c.id = run.conversation AND iif(c.tip, c.tip, c.leaf) = run.id)";
/* Whoever repeats the request is told how the run has ended since. */
static const char sql_tell[] = "UPDATE idempotency SET outcome = 5 WHERE id = ?";

static int run_withdraw_run(struct session *s, struct run_withdraw *j)
{
	struct db_bind b = conn_bind(s->conn, sql_withdraw);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	db_bind_text(&b, j->error);
	int rc = db_bind_run(&b);
	if (rc != SQLITE_OK || sqlite3_changes(sqlite3_db_handle(st)) == 0)
		return rc;
	b = conn_bind(s->conn, sql_tell);
	db_bind_int(&b, j->run.key);
	return db_bind_run(&b);
}

OP(run_withdraw, run_withdraw_run);
