/* Finds messages by their ids, in whatever conversations they are. */
#include "store/conversation.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static const char sql_one[] =
	"SELECT body FROM message WHERE id = ? AND secret = ? AND owner = ? AND run >= 0";

static int messages_find_one(struct session *s, struct messages_find *j, struct store_message *m)
{
	struct db_bind b = conn_bind(s->conn, sql_one);
	sqlite3_stmt  *st = b.st;

	m->body = STR_NONE;
	db_bind_int(&b, m->id.key);
	db_bind_secret(&b, m->id.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	if (cell_fits(&j->arena, (size_t)sqlite3_column_bytes(st, 0)))
		(void)!cell_keep(&j->arena, row_of(st), 0, &m->body, &j->job.err);
	else
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the messages that are named are too large together");
	(void)sqlite3_reset(st);
	return SQLITE_OK;
}

static int find_messages(struct session *s, struct messages_find *j)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && j->job.err.code == ERR_OK && i < j->count; i++)
		rc = messages_find_one(s, j, &j->messages[i]);
	return rc;
}

OP(messages_find, find_messages);
