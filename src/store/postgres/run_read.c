/* Reads one run. */
#include "base/limits.h"
#include "store/postgres/operation.h"
#include "store/sql/run_cell.h"
#include "store/postgres/run_missing.h"

static const char sql_one[] =
	RUN_CELL_COLUMNS ", r.attempt_log, r.executions FROM run r " RUN_CELL_JOINS
			 "WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3";
static const char sql_whole[] = RUN_CELL_COLUMNS
	", r.attempt_log, r.executions, r.settings, m.body FROM run r " RUN_CELL_JOINS
	"LEFT JOIN message m ON m.id = r.id "
	"WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND ($4 = '' OR $4 = r.shape) "
	"AND (m.run IS NULL OR m.run >= 0)";

enum { ATTEMPT_LOG = RUN_CELL_END, EXECUTIONS, SETTINGS, ANSWER };

/* read_run_one: the row, and what lists leave out. */
static void read_run_one(struct row r, struct run_read *j)
{
	struct err *e = &j->job.err;

	run_cell_read(r, &j->arena, j, e);
	if (e->code == ERR_OK && cell_keep(&j->arena, r, ATTEMPT_LOG, &j->attempt_log, e))
		(void)!cell_keep(&j->arena, r, EXECUTIONS, &j->executions, e);
}

static void run_read_read_whole(struct row r, struct run_read *j)
{
	struct err *e = &j->job.err;

	if (!cell_fits(&j->arena, cell_str(r, SETTINGS).n + cell_str(r, ANSWER).n + 8 * KIB)) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "",
			"the response is larger than the %zu KiB that can be read at once",
			j->arena.max / KIB);
		return;
	}
	read_run_one(r, j);
	if (e->code == ERR_OK && cell_keep(&j->arena, r, SETTINGS, &j->settings, e))
		(void)!cell_keep(&j->arena, r, ANSWER, &j->answer, e);
}

static enum work_next read_run(struct work *w, struct run_read *j)
{
	bool whole = j->shape.p != NULL;

	if (w->stage == 0) {
		struct param *a = work_param(w);

		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		if (whole)
			param_text(a, j->shape);
		work_ask(w, whole ? sql_whole : sql_one);
		return WORK_AGAIN;
	}
	if (w->stage > 1) {
		run_missing_judge(w, whole ? "response" : "run", &j->job.err);
		return WORK_DONE;
	}
	if (work_rows(w, 0) == 0) {
		run_missing_ask(w, j->run);
		return WORK_LAST;
	}
	if (whole)
		run_read_read_whole(work_row(w, 0, 0), j);
	else
		read_run_one(work_row(w, 0, 0), j);
	return WORK_DONE;
}

OP(run_read, WORK_IMPLICIT, read_run);
