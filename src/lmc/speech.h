/* lmc/speech: one turn of an assistant in OpenAI's terms, text and calls, as segments (rules K2, K3,
 * K5, O5, T): the text before the calls split by its fences, then each call in ascending order of
 * its index, then the text that came after them.
 *
 * The first text and the call with index 0 are given while they arrive; later calls, and text
 * behind them, are held until the end, because a provider may go on with any of them until then. */
#pragma once

#include "lmc/segment.h"
#include "lmc/warnings.h"

#include <stdint.h>

struct speech_options {
	bool                       fences; /* false: text is one segment */
	const struct segment_sink *sink;   /* borrowed */
	void                      *arg;
	struct warnings           *warnings; /* borrowed; NULL: nobody asks */
	/* Bytes that may be held back: half of it of calls and the text behind them, half by the
	 * parser of what is being given. */
	size_t max;
};

struct speech; /* opaque */

/* speech_create: NULL: no memory. */
struct speech *speech_create(const struct speech_options *o) MUST_USE;
void           speech_destroy(struct speech *t);
/* speech_again: makes t, which was closed without an error, as new, keeping some of its memory;
 * o->max must be the same as before. */
void speech_again(struct speech *t, const struct speech_options *o);
/* speech_at: sets the index of later warnings. */
void speech_at(struct speech *t, size_t index);

/* The next piece of text, of a call's name, of its arguments; decoded text (lmc/text.h), which may
 * be cut between the halves of a pair: the sink never gets a text that ends inside a character if
 * more of it comes.  Pieces of a name behind the first non-empty piece of the arguments do not
 * count.  A call exists from the first speech_name or speech_args for its index, even with empty text.
 * False: no memory, a limit (also LIMIT_TOOLS calls), or the sink stopped it; then and after
 * speech_close all further calls are false and the sink hears nothing more. */
bool speech_text(struct speech *t, struct str text) MUST_USE;
bool speech_name(struct speech *t, uint32_t index, struct str name) MUST_USE;
bool speech_args(struct speech *t, uint32_t index, struct str args) MUST_USE;
/* speech_close: ends the turn, complete or cut: all held text is given, and every segment is
 * closed. */
bool speech_close(struct speech *t) MUST_USE;
/* speech_held: the bytes that speech_close is going to give, of calls and of the text behind them. */
size_t speech_held(const struct speech *t);
/* speech_overfull: whether a function failed because the turn has more than LIMIT_TOOLS calls. */
bool speech_overfull(const struct speech *t);
