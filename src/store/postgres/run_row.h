/* run_row: reads rows of runs. */
#pragma once

#include "store/postgres/cell.h"
#include "store/run.h"

#define RUN_ROW_COLUMNS                                                                      \
	"SELECT r.status, r.conversation, c.secret, r.continues, k.secret, r.model, "        \
	"r.provider, r.finish_reason, r.error, r.usage_estimated, r.usage_in, r.usage_out, " \
	"r.usage_cached_read, r.usage_cached_write, r.usage_reasoning, r.created_ms, "       \
	"r.first_token_ms, r.completed_ms, r.attempts, r.id, r.secret, r.native_reason, "    \
	"r.cost_nano "
#define RUN_ROW RUN_ROW_COLUMNS "FROM run r "
#define RUN_ROW_JOINS \
	"LEFT JOIN conversation c ON c.id = r.conversation LEFT JOIN run k ON k.id = r.continues "

enum { RUN_ROW_ID = 19, RUN_ROW_SECRET, RUN_ROW_NATIVE, RUN_ROW_COST, RUN_ROW_END };

/* run_row_read: fills all members of *ret but its job from a row of RUN_ROW; texts are in a.  An error is
 * in e. */
void run_row_read(struct row r, struct arena *a, struct run_read *ret, struct err *e);
/* run_row_status: a stored status; false: it is none, and e says so. */
bool run_row_status(int64_t status, enum run_status *ret, struct err *e);
