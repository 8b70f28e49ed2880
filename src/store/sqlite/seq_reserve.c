/* Reserves numbers of events, which may then be sent. */
#include "store/sqlite/op.h"
#include "store/turn.h"

static const char sql_reserve[] =
	"UPDATE run SET seq_reserved = max(seq_reserved, ?) WHERE id = ? AND secret = ?";

static int seq_reserve_take(struct session *s, struct seq_reserve *j)
{
	struct db_bind b = conn_bind(s->conn, sql_reserve);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, (int64_t)j->upto);
	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	int rc = db_bind_run(&b);
	if (rc == SQLITE_OK && sqlite3_changes(sqlite3_db_handle(st)) == 0)
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such run");
	return rc;
}

OP(seq_reserve, seq_reserve_take);
