/* salvage_read: reads the event log of a run whose end was not stored, for its answer, at the next start
 * (recover.h) or as soon as the writer can write again (unfinished.h).
 *
 * The functions that return an int return an SQLite code, and run inside a transaction. */
#pragma once

#include "store/common/salvage.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"

/* Laid open so that it can be embedded. */
struct salvage_read {
	struct conn   *conn; /* borrowed */
	struct salvage salvage;
};

/* salvage_read_add: reads the run's next piece; `piece` is the id of its row. */
int salvage_read_add(struct salvage_read *r, struct id run, int64_t piece) MUST_USE;
/* salvage_read_run: reads all pieces of a run.  *ret_live false: the run was deleted, or has an end. */
int salvage_read_run(struct salvage_read *r, struct events *events, struct id run,
		     bool *ret_live) MUST_USE;
