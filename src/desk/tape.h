/* desk/tape: the events of a run that is stored nowhere, in memory while it goes on, so that a reader
 * may come back to it.  One writer, any number of readers, on any loop; whoever holds it keeps it.
 *
 * What is over LIMIT_TAPE is not kept: then there is nothing left to read again. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "store/store.h"

struct tape;

struct tape *tape_create(void) MUST_USE; /* NULL: no memory */
struct tape *tape_hold(struct tape *t);
void         tape_release(struct tape *t); /* NULL is fine */

/* tape_add: the next event. */
void tape_add(struct tape *t, const struct event *ev, uint64_t seq);
/* tape_end: no more come.  error: JSON object, or empty. */
void tape_end(struct tape *t, enum run_status status, uint64_t last_seq, struct str error);

/* What a reader is told with the events. */
struct tape_state {
	bool            full;     /* it was over LIMIT_TAPE: nothing can be read */
	bool            has_more; /* than this page */
	enum run_status status;   /* RUN_RUNNING until it ended */
	uint64_t        last_seq;
};
/* tape_read: records (msg/event_code.h) from *at on, up to about max bytes, appended to out; *at moves
 * on.  error: what tape_end was given, appended once it has ended and all was read.
 * False: no memory. */
bool tape_read(struct tape *t, size_t *at, size_t max, struct buf *out, struct buf *error,
	       struct tape_state *ret) MUST_USE;
