/* Writes a note. */
#include "store/sql/query.h"
#include "tests/scratch/notes/notes.h"

#define FIND(E) "SELECT text FROM scratch_note WHERE owner = $1 AND name = $2" E##_FOR_UPDATE
static const struct sql sql_find = SQL_EITHER(FIND);
static const char sql_write[] = "INSERT INTO scratch_note (owner, name, text) VALUES ($1, $2, $3) "
				"ON CONFLICT (owner, name) DO UPDATE SET text = excluded.text";

static enum work_next write_note(struct query *q, struct scratch_note_write *j)
{
	struct row    r;
	struct param *a;

	if (q->stage > 1)
		return WORK_DONE;
	if (q->stage == 1) {
		j->replaced = query_row(q, 0, &r);
		if (j->replaced && !cell_keep(&j->arena, r, 0, &j->before, &j->job.err))
			return WORK_DONE;
	}
	a = query_param(q);
	param_int(a, j->owner);
	param_text(a, j->name);
	if (q->stage == 0) {
		query_ask_either(q, &sql_find);
		return WORK_AGAIN;
	}
	param_text(a, j->text);
	query_ask(q, sql_write);
	return WORK_LAST;
}

SQL_OP(scratch_note_write, WORK_WRITE, write_note);
