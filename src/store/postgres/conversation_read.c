/* Reads a conversation for a list. */
#include "store/postgres/conversation_cell.h"
#include "store/postgres/operation.h"

static enum work_next read_conversation(struct work *w, struct conversation_read *j)
{
	if (w->stage == 0) {
		conversation_cell_ask(w, j->conversation, j->owner);
		return WORK_LAST;
	}
	if (work_rows(w, 0) == 0)
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	else
		(void)!conversation_cell_keep(work_row(w, 0, 0), &j->arena, &j->found, &j->job.err);
	return WORK_DONE;
}

OP(conversation_read, WORK_IMPLICIT, read_conversation);
