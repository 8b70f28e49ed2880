/* Reads a conversation for a list. */
#include "store/sql/cells.h"

static const char sql_swept[] = "SELECT 1 FROM swept WHERE id = $1 AND secret = $2 AND owner = $3";

static void conversation_read_ask_swept(struct query *q, const struct conversation_read *j)
{
	struct param *a = query_param(q);

	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	param_int(a, j->owner);
	query_ask(q, sql_swept);
}

static enum work_next read_conversation(struct query *q, struct conversation_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	switch (q->stage) {
	case 0: conversation_cell_ask(q, j->conversation, j->owner); return WORK_AGAIN;
	case 1:
		if (query_row(q, 0, &r)) {
			(void)!conversation_cell_keep(r, &j->arena, &j->found, e);
			return WORK_DONE;
		}
		conversation_read_ask_swept(q, j);
		return WORK_LAST;
	default: break;
	}
	if (query_row(q, 0, &r))
		err_set(e, ERR_GONE, "", "this conversation's time was over, and it was removed");
	else
		err_set(e, ERR_NOT_FOUND, "", "there is no such conversation");
	return WORK_DONE;
}

SQL_OP(conversation_read, WORK_IMPLICIT, read_conversation);
