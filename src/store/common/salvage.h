/* salvage: makes the answer of a run whose end was not stored from the pieces of the run's event log,
 * which the engine hands over in their order. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "store/events.h"

/* store_options.assemble */
typedef bool salvage_assemble_fn(const struct events_piece *pieces, size_t count, struct buf *out);

struct salvage {
	salvage_assemble_fn *assemble; /* borrowed; NULL: no answers are made */
	/* The rest is about one run. */
	struct events_piece *pieces; /* owned; salvage_make sets their data.p */
	size_t               count;
	size_t               cap;
	bool                 full;   /* the log exceeds the limit; only its beginning is used */
	struct buf           bytes;  /* the data of all pieces, one after the other */
	struct buf           answer; /* result of assemble */
};

void salvage_init(struct salvage *v, salvage_assemble_fn *assemble);
void salvage_finish(struct salvage *v);

/* salvage_begin: forgets the pieces and the answer of the last run. */
void salvage_begin(struct salvage *v);
/* salvage_add: copies the run's next piece; false: no memory. */
bool salvage_add(struct salvage *v, const struct events_piece *piece) MUST_USE;
/* Findings in the pieces besides the answer. */
struct salvage_told {
	bool         begun; /* the provider had begun to answer */
	int64_t      bytes; /* sum of event_weight (msg/event.h) of all events */
	struct usage usage; /* the provider's last report */
	bool steps; /* an earlier call of the provider's was over, and another followed or was to */
};

/* salvage_make: makes the answer of the pieces, borrowed until salvage_begin; empty: none. */
struct str salvage_make(struct salvage *v, struct salvage_told *ret);
