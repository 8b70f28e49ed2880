/* Reads a conversation for a list. */
#include "store/sqlite/conversation_row.h"
#include "store/conversation.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

static int conversation_read_conversation(struct session *s, struct conversation_read *j)
{
	sqlite3_stmt *st;
	struct str    title;
	struct str    metadata;
	int rc = conversation_row_find(s->conn, j->conversation, j->owner, "", &st, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	if (!row_keep(&j->arena, st, CONVERSATION_ROW_TITLE, &title, &j->job.err) ||
	    !row_keep(&j->arena, st, CONVERSATION_ROW_METADATA, &metadata, &j->job.err))
		return SQLITE_OK;
	j->found = (struct store_conversation){
		.id = j->conversation,
		.created_ms = db_int(st, CONVERSATION_ROW_CREATED_MS),
		.revision = db_int(st, CONVERSATION_ROW_REVISION),
		.title = title,
		.metadata = metadata.n > 0 ? metadata : STR("{}"),
	};
	return SQLITE_OK;
}

OP(conversation_read, conversation_read_conversation);
