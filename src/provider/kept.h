/* provider/kept: events that a worker has decoded and that wait for their loop, in their order.
 *
 * A text longer than LIMIT_PIECE is kept as several events, as a provider could have sent it:
 * whoever prints or escapes a text takes its time for one piece, not for megabytes.  What is long
 * all the same is kept twice, for two passes.
 *
 * Threads: one at a time, whichever. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "msg/event.h"

struct kept_event;

struct kept {
	struct arena arena;  /* of the events, and of what the source does not hold */
	struct buf  *source; /* borrowed; what is decoded: spans into it stay as they are */
	struct buf   made;   /* the first raw that the source does not hold */
	bool         stream;
	bool         cut; /* the newest events are parts of one, or of its chunk behind them */
	struct kept_event  *first;
	struct kept_event **end;
};

void kept_init(struct kept *k);
/* kept_start: forgets all events; the next ones are decoded from source, which lives as long.
 * stream: it is an event of a stream. */
void kept_start(struct kept *k, struct buf *source, bool stream);
void kept_finish(struct kept *k);
/* kept_add: a copy, but for what lies in the source; false: no memory. */
bool kept_add(struct kept *k, const struct event *ev) MUST_USE;
/* kept_take: the next one, good until kept_start or kept_finish; NULL: there is none.  same: only
 * one that has the number of the event before: the log takes the events of a number together. */
const struct event *kept_take(struct kept *k, bool same);
