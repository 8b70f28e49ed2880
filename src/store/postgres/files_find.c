/* Finds uploaded files by their ids. */
#include "store/postgres/file_cell.h"
#include "store/postgres/operation.h"

static const char sql_find[] = FILE_CELL
	"FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(id, secret, at) LEFT JOIN file f "
	"ON f.id = w.id AND f.secret = w.secret AND f.owner = $3 ORDER BY w.at";

static void files_find_ask(struct work *w, const struct files_find *j)
{
	struct param *a = work_param(w);

	PARAM_EACH(a, PARAM_INT, i, j->count, param_int(a, j->ids[i].key));
	PARAM_EACH(a, PARAM_INT, i, j->count, param_secret(a, j->ids[i].secret));
	param_int(a, j->owner);
	work_ask(w, sql_find);
}

static enum work_next files_find_step(struct work *w, struct files_find *j)
{
	struct err *e = &j->job.err;

	if (w->stage == 0) {
		files_find_ask(w, j);
		return WORK_LAST;
	}
	if (!file_cell_room(&j->arena, j->count, &j->files, e))
		return WORK_DONE;
	for (j->missing = 0; j->missing < j->count && e->code == ERR_OK; j->missing++) {
		struct row r = work_row(w, 0, (int)j->missing);

		if (!cell_null(r, 0)) {
			if (!file_cell_keep(r, &j->arena, &j->files[j->missing], e))
				break;
		} else if (!j->some) {
			err_set(e, ERR_NOT_FOUND, "", "there is no such file");
			break;
		}
	}
	return WORK_DONE;
}

OP(files_find, WORK_IMPLICIT, files_find_step);
