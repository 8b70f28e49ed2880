/* sweep: takes from the event log and the idempotency keys what retention no longer keeps, oldest
 * first, in small steps.
 *
 *        due ---step---> AGAIN (more is due, soon) ---...---> RESTED (nothing is due for a while)
 */
#pragma once

#include "store/sqlite/claim.h"
#include "store/sqlite/events.h"

enum sweep_sql {
	SWEEP_SQL_BEGIN,
	SWEEP_SQL_COMMIT,
	SWEEP_SQL_LOOK,
	SWEEP_SQL_REMOVE,
	SWEEP_SQL_RECORD,
	SWEEP_SQL__COUNT
};

struct sweep {
	sqlite3_stmt  *st[SWEEP_SQL__COUNT];
	struct events *events; /* borrowed, both */
	struct claims *claims;
	int64_t        keep_ms;
	int64_t        keep_bytes;
	int64_t        keys_keep_ms;
	int64_t        next; /* rows before it were looked at in this pass */
};

enum errc sweep_prepare(struct sweep *s, sqlite3 *db, struct events *events,
                        struct claims *claims, const struct store_options *o, struct err *e) MUST_USE;
void      sweep_finish(struct sweep *s);

/* sweep_wanted: whether there is anything that is not kept for ever. */
bool sweep_wanted(const struct sweep *s);
/* sweep_keys: removes a few keys that have expired; otherwise as sweep_step. */
int sweep_keys(struct sweep *s, int64_t now_ms, bool *ret_again) MUST_USE;
/* sweep_step: one transaction of a millisecond or so, or none.  Outside of any other one.
 * *ret_again: more may be due.  An SQLite code; on failure nothing was removed. */
int sweep_step(struct sweep *s, int64_t now_ms, bool *ret_again) MUST_USE;
