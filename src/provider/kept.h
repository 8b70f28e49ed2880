/* provider/kept: a queue of events that a worker has decoded and that wait for their loop.
 *
 * A text longer than LIMIT_PIECE is kept as several events, as if the provider had sent several
 * pieces, so that a step of the loop prints or escapes one piece, not megabytes. An event of a
 * stream that is long nevertheless is kept twice, for two passes (enum event_pass).
 *
 * Threads: any, one at a time. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "msg/event.h"

struct kept_event;

struct kept {
	struct arena arena;  /* memory of the events and of copied spans */
	struct buf  *source; /* borrowed; the decoded bytes; spans into them are not copied */
	struct buf   made;   /* copy of the first long raw outside of source; empty: none */
	bool         stream; /* source is an event of a stream */
	bool         cut;    /* the newest event was split, or follows a split one of its chunk */
	struct kept_event  *first;
	struct kept_event **end;
};

void kept_init(struct kept *k);
/* kept_start: forgets all events. The next ones are decoded from source, which must live until
 * kept_start or kept_finish. stream: source is an event of a stream, not a plain answer. */
void kept_start(struct kept *k, struct buf *source, bool stream);
void kept_finish(struct kept *k);
/* kept_add: appends the event, with copies of its spans outside of source. False: no memory. */
bool kept_add(struct kept *k, const struct event *ev) MUST_USE;
/* kept_take: removes and returns the next event, borrowed until kept_start or kept_finish; NULL:
 * none. same: only if the event has the number of the one before, because the log takes all events
 * of a number together. */
const struct event *kept_take(struct kept *k, bool same);
