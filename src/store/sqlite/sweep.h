/* sweep: takes from the event log and the idempotency keys what retention no longer keeps, oldest
 * first, in small steps. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/engine.h"
#include "store/sqlite/events.h"

struct sweep {
	struct conn   *conn; /* borrowed, as the next one */
	struct events *events;
	int64_t        keep_ms;
	int64_t        keep_bytes;
	int64_t        idem_keep_ms;
	int64_t        next; /* rows before it were looked at in this pass */
};

void sweep_init(struct sweep *s, struct conn *conn, struct events *events,
		const struct store_options *o);

extern const struct chore chore_sweep;
