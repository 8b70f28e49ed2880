/* salvage: what the event log has of a run whose end was not stored, made into the answer it gets: by
 * the next start, or by the writer once it can write again.  All run inside a transaction and return
 * SQLite codes. */
#pragma once

#include "base/buf.h"
#include "store/sqlite/events.h"
#include "store/sqlite/kit/conn.h"
#include "store/events.h"

/* store_options.assemble */
typedef bool salvage_assemble_fn(const struct events_piece *pieces, size_t count, struct buf *out);

struct salvage {
	struct conn         *conn; /* borrowed */
	salvage_assemble_fn *assemble;
	/* Of one run. */
	struct events_piece *pieces; /* owned; data.p is set by salvage_make */
	size_t               count;
	size_t               cap;
	bool                 full; /* there is more than is looked at: the beginning counts */
	struct buf           bytes;
	struct buf           answer;
};

void salvage_init(struct salvage *v, struct conn *conn, salvage_assemble_fn *assemble);
void salvage_finish(struct salvage *v);

/* salvage_begin: the pieces of another run. */
void salvage_begin(struct salvage *v);
/* salvage_add: one more piece of it, by its row's id; in their order. */
int salvage_add(struct salvage *v, struct id run, int64_t piece) MUST_USE;
/* What the pieces tell besides. */
struct salvage_told {
	bool         begun; /* the provider had begun to answer */
	int64_t      bytes; /* event_weight of all */
	struct usage usage; /* as the provider told it last */
};

/* salvage_make: the answer that the pieces make, lent until salvage_begin; empty: none. */
struct str salvage_make(struct salvage *v, struct salvage_told *ret);

/* salvage_run: all pieces of one run.  *ret_live false: the run is gone, or has an end. */
int salvage_run(struct salvage *v, struct events *events, struct id run, bool *ret_live) MUST_USE;
