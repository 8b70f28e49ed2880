/* lmc/fence: splits an assistant's text into prose and fenced code (rules F1 to F9).
 *
 * What comes out depends only on the text, not on how it was cut into pieces.  Only what the rules
 * leave open is held back: white space and backticks at the end, a line that may still become a
 * fence; all else is given at once. */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

/* Laid open so that it can be embedded; use the functions. */
struct fence {
	const struct segment_sink *sink; /* borrowed */
	void                      *arg;
	struct buf                 held; /* what may still become something else */
	/* … the state; documented where the states are drawn (fence.c) */
	int    state;
	size_t ticks;    /* backticks of the opening fence */
	size_t indent; size_t count; struct buf info;
	bool   open;     /* a segment is open */
	bool   run_seen; /* this line of prose had its run of three or more */
};

/* fence_init: max bounds what may be held back. */
void fence_init(struct fence *f, const struct segment_sink *sink, void *arg, size_t max);
void fence_finish(struct fence *f);
/* fence_feed: the next piece.  False: the sink stopped it, or too much is held back. */
bool fence_feed(struct fence *f, struct str text) MUST_USE;
/* fence_end: the text is complete: everything held is given, the open segment closed.  f is then
 * ready for another text. */
bool fence_end(struct fence *f) MUST_USE;
