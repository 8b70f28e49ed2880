/* Reads one stored completion. */
#include "store/sql/cells.h"

static const struct sql sql_find = SQL_EITHER(COMPLETION_CELL_FIND);

static enum work_next read_completion(struct query *q, struct completion_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (q->stage == 0) {
		completion_cell_params(query_param(q), j->run, j->owner);
		query_ask_either(q, &sql_find);
		return WORK_LAST;
	}
	if (!query_row(q, 0, &r))
		completion_cell_missing(e);
	else if (!cell_fits(&j->arena, completion_cell_bytes(r)))
		completion_cell_too_large(e, &j->arena);
	else
		(void)!completion_cell_keep(r, &j->arena, &j->found, e);
	return WORK_DONE;
}

SQL_OP(completion_read, WORK_IMPLICIT, read_completion);
