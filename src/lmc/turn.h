/* lmc/turn: one turn of an assistant in OpenAI's terms, text and calls, as segments (rules K2, K3,
 * K5, O5, T): the text before the calls split by its fences, then each call in ascending order of
 * its index, then the text that came after them.
 *
 * The first text and the call with index 0 are given while they arrive; later calls, and text
 * behind them, are held until the end, because a provider may go on with any of them until then. */
#pragma once

#include "lmc/segment.h"
#include "lmc/warnings.h"

#include <stdint.h>

struct turn_options {
	bool                       fences; /* false: text is one segment */
	const struct segment_sink *sink;   /* borrowed */
	void                      *arg;
	struct warnings           *warnings; /* borrowed; NULL: nobody asks */
	/* Bytes that may be held back: half of it of calls and the text behind them, half by the
	 * parser of what is being given. */
	size_t max;
};

struct turn; /* opaque */

/* turn_create: NULL: no memory. */
struct turn *turn_create(const struct turn_options *o) MUST_USE;
void         turn_destroy(struct turn *t);
/* turn_at: the index that warnings of what follows carry. */
void turn_at(struct turn *t, size_t index);

/* The next piece of text, of a call's name, of its arguments; decoded text (lmc/text.h), which may
 * be cut between the halves of a pair: the sink never gets a text that ends inside a character if
 * more of it comes.  Pieces of a name behind the first non-empty piece of the arguments do not
 * count.  A call exists from the first turn_name or turn_args for its index, even with empty text.
 * False: no memory, a limit (also LIMIT_TOOLS calls), or the sink stopped it; then and after
 * turn_close all further calls are false and the sink hears nothing more. */
bool turn_text(struct turn *t, struct str text) MUST_USE;
bool turn_name(struct turn *t, uint32_t index, struct str name) MUST_USE;
bool turn_args(struct turn *t, uint32_t index, struct str args) MUST_USE;
/* turn_close: the turn is complete, or was cut: all that is held is given, every segment closed. */
bool turn_close(struct turn *t) MUST_USE;
