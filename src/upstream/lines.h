/* upstream/lines: a parser for newline-delimited JSON, one value a line. Empty lines are
 * skipped; a last line without its newline counts. Input may be cut anywhere. */
#pragma once

#include "upstream/sse.h"

struct lines {
	struct buf line; /* an unfinished line, carried over */
};

void lines_init(struct lines *l);
void lines_finish(struct lines *l);
/* lines_feed: calls fn, without a name, for each complete line.  Spans are borrowed for the call.
 * Errors: UPSTREAM_BAD_RESPONSE above LIMIT_SSE_EVENT, and fn's own. */
enum errc lines_feed(struct lines *l, const char *bytes, size_t len, sse_event_fn fn, void *arg,
		     struct err *e) MUST_USE;
/* lines_take: as sse_take; the line begins its memory. */
bool lines_take(struct lines *l, struct str line, struct buf *ret) MUST_USE;
/* lines_end: the body ended. */
enum errc lines_end(struct lines *l, sse_event_fn fn, void *arg, struct err *e) MUST_USE;
