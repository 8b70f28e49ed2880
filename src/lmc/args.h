/* lmc/args: reads the arguments of one call of `execute` while they arrive (rules T3 to T7).
 *
 * The member `code` of an object becomes a SEGMENT_CODE.  The sink gets the decoded code as soon as
 * its language is known, and never half an escape.  Arguments that are no object become a
 * SEGMENT_TOOL_CALL named "execute", unchanged.  The segment depends only on the text, not on how
 * the text was cut into pieces. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

/* Flaws of the arguments that cause a warning (rules T5 to T7); several bits may be set. */
enum args_flaw {
	ARGS_ENDED_EARLY = 1, /* the object is cut off, or is no JSON */
	ARGS_NO_CODE = 2,     /* the object has no member `code` with a string */
	ARGS_TRAILING = 4,    /* text follows the object */
	ARGS_NO_OBJECT = 8,   /* the arguments are no object, and became a tool call */
};

struct args; /* opaque */

/* args_create: sink: borrowed; max: the most bytes that may be held back; NULL: no memory. */
struct args *args_create(const struct segment_sink *sink, void *arg, size_t max) MUST_USE;
void         args_destroy(struct args *a);
/* args_feed: reads the next piece.  False: the sink has stopped, more than max bytes would be held
 * back, or memory is short. */
bool args_feed(struct args *a, struct str text) MUST_USE;
/* args_end: the arguments are complete: gives the rest to the sink and closes the segment; each
 * call makes exactly one segment.  *ret_flaws: bits of enum args_flaw.  False: as args_feed. */
bool args_end(struct args *a, unsigned *ret_flaws) MUST_USE;
