/* Reads a conversation for a list. */
#include "store/sql/cells.h"

static enum work_next read_conversation(struct query *q, struct conversation_read *j)
{
	struct row r;

	if (q->stage == 0) {
		conversation_cell_ask(q, j->conversation, j->owner);
		return WORK_LAST;
	}
	if (!query_row(q, 0, &r))
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	else
		(void)!conversation_cell_keep(r, &j->arena, &j->found, &j->job.err);
	return WORK_DONE;
}

SQL_OP(conversation_read, WORK_IMPLICIT, read_conversation);
