/* query: does the operations that all engines share (store/sql/query.h), a statement at a time, on the
 * thread of a session. */
#pragma once

#include "store/sqlite/session.h"

/* query_run: does a job whose operation is in store/sql, as op.run does (op.h).  query_settle: op.settle. */
int  query_run(struct session *s, struct store_job *job) MUST_USE;
void query_settle(struct session *s, struct store_job *job);
