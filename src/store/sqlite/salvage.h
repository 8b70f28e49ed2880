/* salvage: what the event log has of a run whose end was not stored, made into the end it gets: by
 * the next start, or by the writer once it can write again.  All run inside a transaction and return
 * SQLite codes, as those of turn.h do. */
#pragma once

#include "base/buf.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/turn.h"
#include "store/store.h"

enum salvage_sql { SALVAGE_SQL_PIECE, SALVAGE_SQL_RUN, SALVAGE_SQL_FIND, SALVAGE_SQL__COUNT };

struct salvage {
	sqlite3_stmt        *st[SALVAGE_SQL__COUNT];
	bool               (*assemble)(const struct events_piece *pieces, size_t count, struct buf *out);
	/* Of one run. */
	struct events_piece *pieces; /* owned; data.p is set by salvage_make */
	size_t               count;
	size_t               cap;
	bool                 full; /* there is more than is looked at: the beginning counts */
	struct buf           bytes;
	struct buf           answer;
};

enum errc salvage_prepare(struct salvage *v, sqlite3 *db, const struct store_options *o,
                          struct err *e) MUST_USE;
void      salvage_finish(struct salvage *v);

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

/* salvage_lost: ends a run whose end was lost, if it still looks alive: `incomplete` with what the log
 * has of its answer, `failed` if it has nothing. */
int salvage_lost(struct salvage *v, struct turns *t, const struct turn_lost *lost) MUST_USE;
