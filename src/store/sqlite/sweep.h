/* sweep: the chore of retention, which removes old event logs and idempotency keys, the oldest
 * first, in small steps. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/engine.h"
#include "store/sqlite/events.h"

struct sweep {
	struct conn   *conn;    /* borrowed */
	struct events *events;  /* borrowed */
	int64_t        keep_ms; /* same as in store_options, like the next two */
	int64_t        keep_bytes;
	int64_t        answer_keep_ms;
	int64_t        next; /* rows of the event log below this id are done in this pass */
};

void sweep_init(struct sweep *s, struct conn *conn, struct events *events,
		const struct store_options *o);

extern const struct chore chore_sweep;
