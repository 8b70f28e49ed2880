/* recover: gives ends to runs whose process has died.  This happens at the start, before anything
 * else is written, or after a takeover, when the previous process has ended. */
#pragma once

#include "base/err.h"
#include "store/common/salvage.h"
#include "store/engine.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"

/* salvage_read: reads the event log of a run whose end was not stored, for its answer, at the next start
 * (recover.h) or as soon as the writer can write again (salvage.h).
 *
 * The functions that return an int return an SQLite code, and run inside a transaction. */

/* Laid open so that it can be embedded. */
struct salvage_read {
	struct conn   *conn; /* borrowed */
	struct salvage salvage;
};

/* salvage_read_add: reads the run's next piece; `piece` is the id of its row. */
int salvage_read_add(struct salvage_read *r, struct id run, int64_t piece) MUST_USE;

/* recover_run: ends all unfinished runs as `incomplete`, each with the answer that o->assemble
 * makes of its logged events, except for those that o->cut takes, and sets id_floor to the highest key in use.  *ret_runs is the number
 * of these runs.  The caller must hold the database's lock (lock.h); otherwise the runs of a living
 * process would be ended.  Errors: STORAGE. */
enum errc recover_run(struct conn *c, const struct store_options *o, int *ret_runs,
		      struct err *e) MUST_USE;

/* For a takeover, during which the previous process still has runs (store_peers).  recover_floor,
 * at the start, only sets id_floor.  recover_others, after the end of the previous process, ends
 * all unfinished runs except those in `own`; own.keys is borrowed, in ascending order. */
enum errc recover_floor(struct conn *c, const char *path, struct err *e) MUST_USE;
struct recover_own {
	const int64_t *keys;
	size_t         count;
};
enum errc recover_others(struct conn *c, const struct store_options *o, struct recover_own own,
			 int *ret_runs, struct err *e) MUST_USE;
