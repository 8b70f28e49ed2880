/* Writes the entry of the audit that goes with a job. */
#include "store/audit.h"
#include "store/sql/cells.h"
#include "store/sqlite/op.h"

/* audit_cell_put has its parameters in the same order. */
int audit_put(struct conn *c, const struct store_job *job)
{
	const struct audit_entry *x = job->audit;

	if (job->err.code != ERR_OK || job->unchanged)
		return SQLITE_OK;
	struct db_bind b = conn_bind(c, audit_cell_put);
	db_bind_int(&b, x->id.key);
	db_bind_secret(&b, x->id.secret);
	db_bind_int(&b, x->at_ms);
	db_bind_text(&b, str_of(x->actor));
	db_bind_maybe(&b, str_of(x->session));
	db_bind_maybe(&b, str_of(x->address));
	db_bind_text(&b, str_of(audit_action_name(x->action)));
	db_bind_maybe(&b, str_of(x->object));
	db_bind_maybe(&b, str_of(x->request));
	return db_bind_run(&b);
}
