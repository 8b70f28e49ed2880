/* Finds uploaded files by their ids. */
#include "store/sql/cells.h"

#define FIND(E)                                                                          \
	FILE_CELL "FROM " E##_EACH("$1", "bigint") "LEFT JOIN file f ON f.id = k.value " \
						   "AND f.owner = $2 " E##_ORDER("k.key")
static const struct sql sql_find = SQL_EITHER(FIND);

static enum work_next find_files(struct query *q, struct files_find *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		PARAM_EACH(a, PARAM_INT, i, j->count, param_int(a, j->ids[i].key));
		param_int(a, j->owner);
		query_ask_either(q, &sql_find);
		return WORK_LAST;
	}
	if (!file_cell_room(&j->arena, j->count, &j->files, e))
		return WORK_DONE;
	for (j->missing = 0; query_row(q, 0, &r); j->missing++) {
		size_t at = j->missing;
		bool   found = !cell_null(r, 0) && (uint64_t)cell_int(r, 1) == j->ids[at].secret;

		if (found)
			(void)!file_cell_keep(r, &j->arena, &j->files[at], e);
		else if (!j->some)
			err_set(e, ERR_NOT_FOUND, "", "there is no such file");
		if (e->code != ERR_OK)
			break;
	}
	return WORK_DONE;
}

SQL_OP(files_find, WORK_IMPLICIT, find_files);
