/* Reads one message on any branch. */
#include "store/sqlite/conversation_row.h"
#include "store/conversation.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static int item_read_item(struct session *s, struct item_read *j)
{
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;
	int           rc = conversation_row_find(s->conn, j->conversation, j->owner, "", &st, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	rc = conversation_row_message(s->conn, j->message, j->conversation, j->owner, &st, "", e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!cell_keep(&j->arena, row_of(st), 3, &j->item.message.body, e) ||
	    !cell_keep(&j->arena, row_of(st), 4, &j->item.model, e))
		return SQLITE_OK;
	j->item.message.id = j->message;
	j->item.created_ms = db_int(st, 1);
	return conversation_row_status(st, &j->item.status);
}

OP(item_read, item_read_item);
