/* Reads a list of uploaded files. */
#include "store/sql/cells.h"

static const char sql_after[] =
	"SELECT f.id FROM file f WHERE f.id = $1 AND f.secret = $2 AND f.owner = $3";
#define LIST(is, way)                                           \
	FILE_CELL "FROM file f WHERE f.owner = $1 AND f.id " is \
		  " $2 AND ($3 IS NULL OR f.purpose = $3) ORDER BY f.id " way " LIMIT $4"
static const char sql_down[] = LIST("<", "DESC");
static const char sql_up[] = LIST(">", "ASC");

static void files_read_ask(struct query *q, const struct files_read *j)
{
	int64_t       edge = j->ascending ? 0 : INT64_MAX;
	struct param *a = query_param(q);

	param_int(a, j->owner);
	param_int(a, id_none(j->after) ? edge : j->after.key);
	param_raw_maybe(a, j->purpose);
	param_int(a, (int64_t)j->limit + 1);
	query_ask(q, j->ascending ? sql_up : sql_down);
	if (id_none(j->after))
		return;
	a = query_param(q);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	param_int(a, j->owner);
	query_ask(q, sql_after);
}

static bool files_read_fits(const struct files_read *j, struct row r)
{
	size_t n = 3 * 64;

	for (int column = 5; column <= 7; column++)
		n += cell_str(r, column).n;
	return cell_fits(&j->arena, n);
}

static enum work_next files_read_step(struct query *q, struct files_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (q->stage == 0) {
		j->file_count = 0;
		j->has_more = false;
		files_read_ask(q, j);
		return WORK_LAST;
	}
	if (!id_none(j->after) && !query_row(q, 1, &r))
		err_set(e, ERR_INVALID_VALUE, "after", "must be the id of a file of this list");
	else if (file_cell_room(&j->arena, j->limit, &j->files, e))
		while (query_row(q, 0, &r)) {
			j->has_more = j->file_count == j->limit || !files_read_fits(j, r);
			if (j->has_more ||
			    !file_cell_keep(r, &j->arena, &j->files[j->file_count], e))
				break;
			j->file_count++;
		}
	return WORK_DONE;
}

SQL_OP(files_read, WORK_SNAPSHOT, files_read_step);
