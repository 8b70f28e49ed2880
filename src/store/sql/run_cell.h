/* run_cell: reads rows of runs. */
#pragma once

#include "store/sql/query.h"
#include "store/run.h"

#define RUN_CELL_COLUMNS                                                                     \
	"SELECT r.status, r.conversation, c.secret, r.continues, k.secret, r.model, "        \
	"r.provider, r.finish_reason, r.error, r.usage_estimated, r.usage_in, r.usage_out, " \
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.created_ms, "       \
	"r.first_token_ms, r.completed_ms, r.attempts, r.id, r.secret, r.native_reason, "    \
	"r.cost_nano "
#define RUN_CELL RUN_CELL_COLUMNS "FROM run r "
#define RUN_CELL_JOINS \
	"LEFT JOIN conversation c ON c.id = r.conversation LEFT JOIN run k ON k.id = r.continues "

enum { RUN_CELL_ID = 19, RUN_CELL_SECRET, RUN_CELL_NATIVE, RUN_CELL_COST, RUN_CELL_END };

/* run_cell_read: fills all members of *ret but its job from a row of RUN_CELL; texts are in a.  An error is
 * in e. */
void run_cell_read(struct row r, struct arena *a, struct run_read *ret, struct err *e);
/* run_cell_status: a stored status; false: it is none, and e says so. */
bool run_cell_status(int64_t status, enum run_status *ret, struct err *e);
