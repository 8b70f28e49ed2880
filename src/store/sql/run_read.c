/* Reads one run. */
#include "base/limits.h"
#include "store/sql/calls.h"
#include "store/sql/cells.h"

static const char sql_one[] = RUN_CELL_COLUMNS
	", r.attempt_log, r.executions, r.owner, r.bill_key, a.name FROM run r " RUN_CELL_JOINS
	"LEFT JOIN api_key a ON $3 IS NULL AND a.id = substr(r.bill_key, 5) "
	"WHERE r.id = $1 AND r.secret = $2 AND ($3 IS NULL OR r.owner = $3)";
static const char sql_whole[] = RUN_CELL_COLUMNS
	", r.attempt_log, r.executions, r.settings, m.body FROM run r " RUN_CELL_JOINS
	"LEFT JOIN message m ON m.id = r.id "
	"WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND ($4 = '' OR $4 = r.shape) "
	"AND (m.run IS NULL OR m.run >= 0)";

static const char sql_name[] = "SELECT name FROM api_key WHERE id = $1";

enum { ATTEMPT_LOG = RUN_CELL_END, EXECUTIONS, SETTINGS, ANSWER };
enum { OWNER = EXECUTIONS + 1, KEY, NAME }; /* in place of the last two */

/* read_run_one: the row, and what lists leave out. */
static void read_run_one(struct row r, struct run_read *j)
{
	struct err *e = &j->job.err;

	run_cell_read(r, &j->arena, j, e);
	if (e->code == ERR_OK && cell_keep(&j->arena, r, ATTEMPT_LOG, &j->attempt_log, e))
		(void)!cell_keep(&j->arena, r, EXECUTIONS, &j->executions, e);
}

/* read_run_name: the name of a key; none where it is not stored. */
static void read_run_name(struct row r, int column, struct run_read *j)
{
	if (!cell_null(r, column))
		(void)!cell_keep(&j->arena, r, column, &j->key_name, &j->job.err);
}

static void read_run_keyed(struct row r, struct run_read *j)
{
	read_run_one(r, j);
	if (!j->any_owner || j->job.err.code != ERR_OK)
		return;
	j->owner = cell_int(r, OWNER);
	if (cell_keep(&j->arena, r, KEY, &j->key, &j->job.err))
		read_run_name(r, NAME, j);
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

static void read_run_ask(struct query *q, struct run_read *j, bool whole)
{
	struct param *a = query_param(q);

	param_int(a, j->run.key);
	param_secret(a, j->run.secret);
	if (j->any_owner)
		param_null(a, PARAM_INT);
	else
		param_int(a, j->owner);
	if (whole)
		param_text(a, j->shape);
	query_ask(q, whole ? sql_whole : sql_one);
	j->call = (struct run_call){ 0 };
	if (j->calls)
		calls_one_ask(q, j->run);
}

/* read_run_call: asks for what the ledger does not have of a call: the name of its key. */
static enum work_next read_run_call(struct query *q, const struct run_read *j)
{
	if (!j->any_owner || j->job.err.code != ERR_OK || !str_starts(j->key, STR("key_")))
		return WORK_DONE;
	param_text(query_param(q), (struct str){ j->key.p + 4, j->key.n - 4 });
	query_ask(q, sql_name);
	return WORK_LAST;
}

static enum work_next read_run(struct query *q, struct run_read *j)
{
	bool       whole = j->shape.p != NULL;
	struct row r;

	if (q->stage == 0) {
		read_run_ask(q, j, whole);
		return WORK_AGAIN;
	}
	if (q->stage > 1 && j->call.unstored) {
		if (query_row(q, 0, &r))
			read_run_name(r, 0, j);
		return WORK_DONE;
	}
	if (q->stage > 1) {
		run_missing_judge(query_row(q, 0, &r), whole ? "response" : "run", &j->job.err);
		return WORK_DONE;
	}
	bool stored = query_row(q, 0, &r);
	if (!stored && j->calls && calls_one_take(q, 1, false, j))
		return read_run_call(q, j);
	if (!stored) {
		run_missing_params(query_param(q), j->run, q->gateway);
		query_ask_either(q, &run_missing_find);
		return WORK_LAST;
	}
	if (whole)
		read_run_whole(r, j);
	else
		read_run_keyed(r, j);
	if (j->calls && j->job.err.code == ERR_OK)
		(void)calls_one_take(q, 1, true, j);
	return WORK_DONE;
}

SQL_OP(run_read, WORK_IMPLICIT, read_run);
