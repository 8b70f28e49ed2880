/* Ends the reservation of a call that is not stored. */
#include "store/sqlite/budgets.h"
#include "store/usage.h"
#include "store/sqlite/op.h"
#include "store/common/salvage.h"

static int settle_budget(struct session *s, struct budget_settle *j)
{
	return budgets_settle(s->conn, &j->note);
}

static void budget_settle_unstored(struct session *s, struct store_job *job)
{
	unfinished_note(s->unfinished, &container_of(job, struct budget_settle, job)->note);
}

OP_WITH(budget_settle, settle_budget, .unstored = budget_settle_unstored);
