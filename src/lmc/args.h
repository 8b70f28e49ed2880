/* lmc/args: reads the arguments of one call of `execute` while they arrive (rules T3 to T7).
 *
 * The code of an object is given as a SEGMENT_CODE as soon as its language is known, decoded, never
 * with half an escape; arguments that are no object become a SEGMENT_TOOL_CALL named "execute", as
 * they stand.  What comes out depends only on the text, not on how it was cut. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

/* What is worth a warning about the arguments (rules T5 to T7); more than one may be set. */
enum args_flaw {
	ARGS_ENDED_EARLY = 1, /* or went on with something that is no JSON */
	ARGS_NO_CODE = 2,     /* no member code with a string */
	ARGS_TRAILING = 4,    /* text after the object */
	ARGS_NO_OBJECT = 8,   /* kept as a tool call */
};

struct args; /* opaque */

/* args_create: max bounds what may be held back; NULL: no memory. */
struct args *args_create(const struct segment_sink *sink, void *arg, size_t max) MUST_USE;
void         args_destroy(struct args *a);
/* args_feed: the next piece.  False: the sink stopped it, or too much is held back. */
bool args_feed(struct args *a, struct str text) MUST_USE;
/* args_end: the arguments are complete: everything is given and the segment closed (each call makes
 * exactly one).  *ret_flaws: enum args_flaw. */
bool args_end(struct args *a, unsigned *ret_flaws) MUST_USE;
