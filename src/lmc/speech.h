/* lmc/speech: turns one turn of an assistant, text and calls in OpenAI's terms, into segments
 * (rules K2, K3, K5, O5, T).  The segments are, in this order: the text before the calls, split by
 * its fences; the calls in ascending order of their indexes; the text after the calls.
 *
 * The first text and the call with index 0 are given to the sink while they arrive.  Other calls,
 * and the text after the calls, are held until the end, because a provider may continue any of them
 * until then. */
#pragma once

#include "lmc/segment.h"
#include "lmc/warnings.h"

#include <stdint.h>

struct speech_options {
	bool                       fences; /* fenced code becomes a segment; false: text is one */
	const struct segment_sink *sink;   /* borrowed */
	void                      *arg;
	struct warnings           *warnings; /* borrowed; NULL: nobody reads them */
	/* The most bytes that may be held back: half of them are for calls and the text after them,
	 * half for the parser of the open segment. */
	size_t max;
};

struct speech; /* opaque */

/* speech_create: NULL: no memory. */
struct speech *speech_create(const struct speech_options *o) MUST_USE;
void           speech_destroy(struct speech *t);
/* speech_again: prepares t, which was closed without an error, for another turn, and keeps some of
 * its memory; o->max must not change. */
void speech_again(struct speech *t, const struct speech_options *o);
/* speech_at: sets the index of later warnings. */
void speech_at(struct speech *t, size_t index);

/* speech_text, speech_name, speech_args: the next piece of the text, of a call's name, of a call's
 * arguments.  Pieces are decoded text (lmc/text.h), and may be cut between the halves of a
 * surrogate pair: the sink gets no text that ends inside a character whose rest follows.  A call
 * exists from the first speech_name or speech_args for its index on, even with an empty text.
 * Pieces of a name after the first non-empty piece of the arguments are ignored.
 * False: no memory, a limit (LIMIT_TOOLS calls among them), or the sink has stopped.  After that,
 * and after speech_close, all functions return false, and the sink gets nothing more. */
bool speech_text(struct speech *t, struct str text) MUST_USE;
bool speech_name(struct speech *t, uint32_t index, struct str name) MUST_USE;
bool speech_args(struct speech *t, uint32_t index, struct str args) MUST_USE;
/* speech_close: ends the turn, complete or cut off: gives all held text to the sink, and closes
 * every segment.  False: as above. */
bool speech_close(struct speech *t) MUST_USE;
/* speech_held: the bytes of held calls and text that speech_close will give to the sink. */
size_t speech_held(const struct speech *t);
/* speech_cut: after speech_close: whether code has no end of its own: an open fence, or arguments of
 * a call that break off. */
bool speech_cut(const struct speech *t);
/* speech_overfull: whether a function failed because the turn has more than LIMIT_TOOLS calls. */
bool speech_overfull(const struct speech *t);
