/* pieces: rows of the event log that are about to be written. */
#pragma once

#include "store/events.h"
#include "store/sql/param.h"

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
