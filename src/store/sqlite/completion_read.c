/* Reads one stored completion. */
#include "store/sqlite/completion_row.h"
#include "store/completion.h"
#include "store/sqlite/op.h"

static const char sql_one[] = COMPLETION_ROW_FIND;

static int completion_read_one(struct session *s, struct completion_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_one);
	struct err    *e = &j->job.err;
	int            rc = completion_row_find(&b, j->run, j->owner, e);

	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (!row_fits(&j->arena, completion_row_bytes(b.st)))
		return completion_row_too_large(e, &j->arena);
	(void)!completion_row_keep(b.st, &j->arena, &j->found, e);
	return SQLITE_OK;
}

OP(completion_read, completion_read_one);
