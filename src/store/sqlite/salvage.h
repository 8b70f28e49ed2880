/* salvage: makes the answer of a run whose end was not stored from the run's event log, at the next
 * start (recover.h) or as soon as the writer can write again (unfinished.h).
 *
 * The functions that return an int return an SQLite code, and run inside a transaction. */
#pragma once

#include "base/buf.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"
#include "store/events.h"

/* store_options.assemble */
typedef bool salvage_assemble_fn(const struct events_piece *pieces, size_t count, struct buf *out);

struct salvage {
	struct conn         *conn;     /* borrowed */
	salvage_assemble_fn *assemble; /* NULL: no answers are made */
	/* The rest is about one run. */
	struct events_piece *pieces; /* owned; salvage_make sets their data.p */
	size_t               count;
	size_t               cap;
	bool                 full;   /* the log exceeds the limit; only its beginning is used */
	struct buf           bytes;  /* the data of all pieces, one after the other */
	struct buf           answer; /* what assemble has made */
};

void salvage_init(struct salvage *v, struct conn *conn, salvage_assemble_fn *assemble);
void salvage_finish(struct salvage *v);

/* salvage_begin: forgets the pieces and the answer of the last run. */
void salvage_begin(struct salvage *v);
/* salvage_add: reads the run's next piece; `piece` is the id of its row. */
int salvage_add(struct salvage *v, struct id run, int64_t piece) MUST_USE;
/* What the pieces say besides the answer. */
struct salvage_told {
	bool         begun; /* the provider had begun to answer */
	int64_t      bytes; /* sum of event_weight (msg/event.h) of all events */
	struct usage usage; /* what the provider reported last */
};

/* salvage_make: makes the answer of the pieces, borrowed until salvage_begin; empty: none. */
struct str salvage_make(struct salvage *v, struct salvage_told *ret);

/* salvage_run: reads all pieces of a run.  *ret_live false: the run was deleted, or has an end. */
int salvage_run(struct salvage *v, struct events *events, struct id run, bool *ret_live) MUST_USE;
