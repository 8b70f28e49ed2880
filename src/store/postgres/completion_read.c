/* Reads one stored completion. */
#include "store/postgres/completion_cell.h"
#include "store/postgres/operation.h"

static enum work_next read_completion(struct work *w, struct completion_read *j)
{
	struct err *e = &j->job.err;

	if (w->stage == 0) {
		completion_cell_ask(w, j->run, j->owner);
		return WORK_LAST;
	}
	if (!completion_cell_found(w, e))
		return WORK_DONE;
	if (!cell_fits(&j->arena, completion_cell_bytes(work_row(w, 0, 0))))
		completion_cell_too_large(e, &j->arena);
	else
		(void)!completion_cell_keep(work_row(w, 0, 0), &j->arena, &j->found, e);
	return WORK_DONE;
}

OP(completion_read, WORK_IMPLICIT, read_completion);
