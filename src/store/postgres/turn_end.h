/* turn_end: writes the ends of runs, for jobs and for runs that lost their gateway. */
#pragma once

#include "store/events.h"
#include "store/postgres/work.h"
#include "store/sql/param.h"
#include "store/turn.h"
#include "store/usage.h"

/* turn_end_ask: asks the statements that end these runs; returns their number.  The first one gives a row
 * for each run that it has ended. */
size_t turn_end_ask(struct work *w, struct turn_end *const *ends, size_t count);

/* pieces: rows of the event log that are about to be written. */
struct pieces {
	struct events_piece *all; /* owned; their data is borrowed */
	size_t               count;
	size_t               cap;
};

/* pieces_add: adds the rows of a piece; one without data makes none.  False: no memory. */
bool pieces_add(struct pieces *p, struct events_piece piece) MUST_USE;
void pieces_finish(struct pieces *p);
/* pieces_args: arrays: run, secret (if wanted), first, last, data. */
void pieces_args(const struct pieces *p, struct param *a, bool secrets);
