/* Reads one run. */
#include "base/limits.h"
#include "store/sql/cells.h"

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

static void read_run_whole(struct row r, struct run_read *j)
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

static enum work_next read_run(struct query *q, struct run_read *j)
{
	bool       whole = j->shape.p != NULL;
	struct row r;

	if (q->stage == 0) {
		struct param *a = query_param(q);

		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		if (whole)
			param_text(a, j->shape);
		query_ask(q, whole ? sql_whole : sql_one);
		return WORK_AGAIN;
	}
	if (q->stage > 1) {
		run_missing_judge(query_row(q, 0, &r), whole ? "response" : "run", &j->job.err);
		return WORK_DONE;
	}
	if (!query_row(q, 0, &r)) {
		run_missing_params(query_param(q), j->run, q->gateway);
		query_ask_either(q, &run_missing_find);
		return WORK_LAST;
	}
	if (whole)
		read_run_whole(r, j);
	else
		read_run_one(r, j);
	return WORK_DONE;
}

SQL_OP(run_read, WORK_IMPLICIT, read_run);
