/* Cancels a run that has ended in front of code that waits for an approval.
 *
 * The run's row is locked first: a turn that approves the code locks it too (turn_begin.c), so that
 * whichever comes second sees what the first one has done. */
#include "store/postgres/operation.h"
#include "store/run.h"

static const char sql_lock[] = "SELECT id FROM run WHERE id = $1 AND secret = $2 AND owner = $3 "
			       "AND status = 2 AND finish_reason = 'confirmation' FOR UPDATE";
static const char sql_withdraw[] =
	"WITH gone AS (UPDATE run r SET status = 5, finish_reason = NULL, native_reason = NULL, "
	"error = $2 FROM conversation c WHERE r.id = $1 AND c.id = r.conversation "
	"AND CASE WHEN c.tip <> 0 THEN c.tip ELSE c.leaf END = r.id RETURNING r.id) "
	"UPDATE idempotency i SET outcome = 5 FROM gone WHERE i.id = gone.id";

static enum work_next run_withdraw_step(struct work *w, struct run_withdraw *j)
{
	struct param *a;

	switch (w->stage) {
	case 0:
		a = work_param(w);
		param_int(a, j->run.key);
		param_secret(a, j->run.secret);
		param_int(a, j->owner);
		work_ask(w, sql_lock);
		return WORK_AGAIN;
	case 1:
		if (work_rows(w, 0) == 0)
			return WORK_DONE;
		a = work_param(w);
		param_int(a, j->run.key);
		param_text(a, j->error);
		work_ask(w, sql_withdraw);
		return WORK_LAST;
	default: return WORK_DONE;
	}
}

OP(run_withdraw, WORK_WRITE, run_withdraw_step);
