/* Reads a note. */
#include "store/sql/query.h"
#include "tests/scratch/notes/notes.h"

static const char sql_find[] = "SELECT text FROM scratch_note WHERE owner = $1 AND name = $2";

static enum work_next read_note(struct query *q, struct scratch_note_read *j)
{
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->owner);
		param_text(a, j->name);
		query_ask(q, sql_find);
		return WORK_LAST;
	}
	if (!query_row(q, 0, &r))
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such note");
	else
		(void)!cell_keep(&j->arena, r, 0, &j->text, &j->job.err);
	return WORK_DONE;
}

SQL_OP(scratch_note_read, WORK_IMPLICIT, read_note);
