/* Finds conversations and their messages. */
#include "store/sqlite/conversation_row.h"
#include "store/run.h"

static const char sql_conversation[] = "SELECT leaf, created_ms, title, metadata, tip, rev, "
				       "instruction FROM conversation "
				       "WHERE id = ? AND secret = ? AND owner = ?";
static const char sql_turn[] = "SELECT secret, status, base, parent, "
			       "EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
			       "FROM run WHERE id = ?";
static const char sql_message[] =
	"SELECT secret, created_ms, CASE WHEN run = id THEN "
	"(SELECT status FROM run WHERE run.id = message.id) END, "
	"body, CASE WHEN run = id THEN (SELECT model FROM run WHERE run.id = message.id) END "
	"FROM message WHERE id = ? AND secret = ? AND owner = ? AND conversation = ? "
	"AND run >= 0";

int conversation_row_linked(struct conn *c, const char *sql, int64_t key, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(c, sql);

	db_bind_int(&b, key);
	*ret = b.st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW)
		return SQLITE_OK;
	return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

int conversation_row_find(struct conn *c, struct id id, int64_t owner, const char *path,
			  sqlite3_stmt **ret, struct err *e)
{
	struct db_bind b = conn_bind(c, sql_conversation);

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	*ret = b.st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, path, "there is no such conversation");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int conversation_row_turn(struct conn *c, sqlite3_stmt *conversation, struct conversation_turn *ret)
{
	int64_t       run = db_int(conversation, CONVERSATION_ROW_LEAF);
	int64_t       tip = db_int(conversation, CONVERSATION_ROW_TIP);
	sqlite3_stmt *st;

	if (run == 0) {
		*ret = (struct conversation_turn){ .tip = tip };
		return SQLITE_OK;
	}
	int rc = conversation_row_linked(c, sql_turn, run, &st);
	if (rc != SQLITE_OK)
		return rc;
	*ret = (struct conversation_turn){
		.tip = tip,
		.run = db_id(run, st, 0),
		.live = db_int(st, 1) <= RUN_RUNNING,
		.base = db_int(st, 2),
		.parent = db_int(st, 3),
		.answered = db_int(st, 4) != 0,
	};
	return SQLITE_OK;
}

int conversation_row_message(struct conn *c, struct id id, struct id conversation, int64_t owner,
			     sqlite3_stmt **ret, const char *path, struct err *e)
{
	struct db_bind b = conn_bind(c, sql_message);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, id.key);
	db_bind_secret(&b, id.secret);
	db_bind_int(&b, owner);
	db_bind_int(&b, conversation.key);
	*ret = st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(e, ERR_NOT_FOUND, path, "this conversation has no such message");
		return SQLITE_OK;
	}
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}
