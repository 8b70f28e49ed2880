/* Deletes a response. */
#include "msg/family.h"
#include "store/conversation.h"
#include "store/response.h"
#include "store/sqlite/conversation_write.h"
#include "store/sqlite/op.h"
#include "store/sqlite/run_row.h"

/* Column 3: the conversation goes too.  A run that begins a conversation has the earlier id of the
 * two; a conversation with an earlier id than its run was made by the client, and stays. */
static const char sql_find[] =
	"SELECT r.status, c.id, c.secret, c.id > r.id AND c.tip = 0 AND NOT EXISTS "
	"(SELECT 1 FROM run o WHERE o.conversation = c.id AND o.id <> r.id), m.id FROM run r "
	"CROSS JOIN conversation c ON c.id = r.conversation "
	"LEFT JOIN message m ON m.id = r.id WHERE r.id = ? AND r.secret = ? AND r.owner = ? "
	"AND r.shape = '" SHAPE_RESPONSES "' AND (m.run IS NULL OR m.run >= 0)";
static const char sql_forget[] = "UPDATE run SET shape = NULL WHERE id = ?";

static int response_forget(struct session *s, const struct response_delete *j)
{
	struct db_bind b = conn_bind(s->conn, sql_forget);

	db_bind_int(&b, j->run.key);
	return db_bind_run(&b);
}

static int response_drop(struct session *s, struct response_delete *j, struct id conversation,
			 bool alone)
{
	struct conversation_write change = {
		.change = alone ? CONVERSATION_DELETE : CONVERSATION_REMOVE_MESSAGE,
		.owner = j->owner,
		.now_ms = j->now_ms,
		.conversation = conversation,
		.message = j->run, /* an answer has the id of its run */
		.arena = j->arena, /* lent */
	};
	int rc = conversation_write(s, &change);

	j->arena = change.arena;
	j->job.err = change.job.err;
	return rc;
}

static int delete_response(struct session *s, struct response_delete *j)
{
	sqlite3_stmt *st;
	struct err   *e = &j->job.err;
	int           rc = run_row_find(s->conn, sql_find, j->run, j->owner, &st, e);

	if (rc != SQLITE_OK)
		return rc;
	if (e->code == ERR_NOT_FOUND)
		err_set(e, ERR_NOT_FOUND, "", "there is no such response");
	if (e->code != ERR_OK)
		return SQLITE_OK;

	enum run_status status;
	struct id       conversation = db_id(db_int(st, 1), st, 2);
	bool            alone = db_int(st, 3) != 0;
	bool            answered = sqlite3_column_type(st, 4) != SQLITE_NULL;

	rc = run_row_status(st, &status);
	(void)sqlite3_reset(st);
	if (rc != SQLITE_OK)
		return rc;
	if (status <= RUN_RUNNING) {
		err_set(e, ERR_CONVERSATION_BUSY, "",
			"this response is still being made; cancel it, or try again when it has "
			"ended");
		e->retry_after_ms = 1000;
		return SQLITE_OK;
	}
	if (alone || answered)
		rc = response_drop(s, j, conversation, alone);
	if (rc == SQLITE_OK && e->code == ERR_OK && !alone)
		rc = response_forget(s, j);
	return rc;
}

OP(response_delete, delete_response);
