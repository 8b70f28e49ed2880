/* Takes shares of limits: the one process that serves this database has all of them. */
#include "store/share.h"
#include "store/sqlite/op.h"

static int share_take_all(struct session *s, struct share_take *j)
{
	(void)s;
	for (size_t i = 0; i < j->count; i++)
		j->wants[i].granted = j->wants[i].least;
	return SQLITE_OK;
}

OP(share_take, share_take_all);
