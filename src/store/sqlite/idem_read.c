/* Reads the object of an idempotency key. */
#include "store/sqlite/kit/row.h"
#include "store/idem.h"
#include "store/sqlite/op.h"

static const char sql_find[] =
	"SELECT i.fingerprint, i.id, i.secret, i.stored, i.outcome, i.http, i.body, c.id, c.secret "
	"FROM idempotency AS i LEFT JOIN run AS r ON i.stored AND r.id = i.id "
	"LEFT JOIN conversation AS c ON c.id = r.conversation WHERE i.owner = ? AND i.key = ?";

static int idem_read_key(struct session *s, struct idem_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_find);
	sqlite3_stmt  *st = b.st;

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
	j->stored = j->begun = db_int(st, 3) != 0;
	j->outcome = (enum run_status)outcome;
	j->answer.http = (int)db_int(st, 5);
	j->conversation = (struct id){ 0 };
	if (sqlite3_column_type(st, 7) != SQLITE_NULL)
		j->conversation = db_id(db_int(st, 7), st, 8);
	/* Without room, job.err says so. */
	bool wanted = rc == SQLITE_OK && j->same;
	if (wanted && !buf_str(&j->bytes, db_column(st, 6)))
		cell_no_memory(&j->job.err);
	j->answer.body = wanted ? buf_view(&j->bytes) : STR_NONE;
	(void)sqlite3_reset(st);
	return rc;
}

OP(idem_read, idem_read_key);
