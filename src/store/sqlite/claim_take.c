/* Takes a name: for the one process that serves this database, desk/claims does all of it. */
#include "store/answer.h"
#include "store/sqlite/op.h"

static int claim_take_all(struct session *s, struct claim_take *j)
{
	(void)s;
	j->taken = true;
	return SQLITE_OK;
}

OP(claim_take, claim_take_all);
