/* Takes an idempotency key: for the one process that serves this database, desk/idem does all of it. */
#include "store/idem.h"
#include "store/sqlite/op.h"

static int idem_take_all(struct session *s, struct idem_take *j)
{
	(void)s;
	j->taken = true;
	return SQLITE_OK;
}

OP(idem_take, idem_take_all);
