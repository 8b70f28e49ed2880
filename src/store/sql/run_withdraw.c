/* Cancels a run that has ended with code waiting for an approval.
 *
 * The run's row is locked first: a turn that approves the code locks it too (turn_begin.c), so that
 * whichever comes second sees what the first one has done. */
#include "store/run.h"
#include "store/sql/query.h"

#define LOCK(E)                                                            \
	"SELECT id FROM run WHERE id = $1 AND secret = $2 AND owner = $3 " \
	"AND status = 2 AND finish_reason = 'confirmation'" E##_FOR_UPDATE
static const struct sql sql_lock = SQL_EITHER(LOCK);
static const char       sql_withdraw[] =
	"UPDATE run SET status = 5, finish_reason = NULL, native_reason = NULL, error = $2 "
	"WHERE id = $1 AND EXISTS (SELECT 1 FROM conversation c WHERE c.id = run.conversation "
	"AND CASE WHEN c.tip <> 0 THEN c.tip ELSE c.leaf END = run.id)";
/* Whoever repeats the request is told how the run has ended since. */
static const char sql_tell[] = "UPDATE idempotency SET outcome = 5 WHERE id = $1 "
			       "AND EXISTS (SELECT 1 FROM run WHERE id = $1 AND status = 5)";

static enum work_next run_withdraw_step(struct query *q, struct run_withdraw *j)
{
	struct param *a;
	struct row    r;

	switch (q->stage) {
	case 0:
		a = query_param(q);
		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		query_ask_either(q, &sql_lock);
		return WORK_AGAIN;
	case 1:
		if (!query_row(q, 0, &r))
			return WORK_DONE;
		a = query_param(q);
		param_int(a, j->run.key);
		param_text(a, j->error);
		query_ask(q, sql_withdraw);
		param_int(query_param(q), j->run.key);
		query_ask(q, sql_tell);
		return WORK_LAST;
	default: return WORK_DONE;
	}
}

SQL_OP(run_withdraw, WORK_WRITE, run_withdraw_step);
