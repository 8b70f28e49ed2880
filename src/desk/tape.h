/* desk/tape: the events of one run, numbered, each written once in the log's form (msg/event_code).
 *
 *   [ in the store's log ][ on its way there ][ committed ]        an attempt is bound
 *   [ not committed ]                                              none is yet
 *
 * What is not committed can be cut off again, with the attempt that said it, and nobody but the run may
 * look at it.  What the store's log has is not kept here any more.  A tape that is not for the store
 * keeps all, for readers that come back, up to its maximum.
 *
 * One writer, the run's loop.  Any number of readers on any loop, of a tape that is shared: tape_read.
 * Whoever holds a tape keeps it. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "store/events.h"
#include "store/run.h"

struct tape;

/* tape_create: of at most max bytes; 0: nothing is kept once an attempt is committed.  NULL: no
 * memory. */
struct tape *tape_create(size_t max, bool shared) MUST_USE;
struct tape *tape_hold(struct tape *t);
void         tape_release(struct tape *t); /* NULL is fine */

/* --- the writer --- */

/* tape_keeps: events are kept behind the commit. */
bool tape_keeps(const struct tape *t);
/* tape_add: the next event; while nothing is committed up to LIMIT_COMMIT_BYTES of them.  False: over the
 * maximum, or no memory; errno as buf_add has it. */
bool tape_add(struct tape *t, const struct event *ev, uint64_t seq) MUST_USE;
/* tape_lose: the run goes on without its tape: from now on nothing can be read. */
void tape_lose(struct tape *t);
/* tape_commit: an attempt is bound.  tape_cut: what is not committed goes. */
void tape_commit(struct tape *t);
void tape_cut(struct tape *t);
/* tape_uncommitted: records; empty once an attempt is committed.  Borrowed until the next call of the
 * writer but tape_commit. */
struct str tape_uncommitted(const struct tape *t);
/* tape_clear: what was kept so far is needed by nobody. */
void tape_clear(struct tape *t);
/* tape_end: no more come.  error: JSON object, or empty. */
void tape_end(struct tape *t, enum run_status status, uint64_t last_seq, struct str error);

/* Places on a tape count all bytes that were ever added to it, but those that were cut off.
 * tape_head: behind the newest event.  tape_newest: in front of it; the head, where nothing is kept. */
uint64_t tape_head(const struct tape *t);
uint64_t tape_newest(const struct tape *t);
/* tape_next: the committed event at *at, which moves on; its spans are borrowed until the writer's next
 * call.  False: there is none, or it is not here any more. */
bool tape_next(const struct tape *t, uint64_t *at, struct event *ret, uint64_t *ret_seq);

/* --- the store, by way of the writer --- */

/* tape_hand: all that is committed and was not handed over yet; .data empty: nothing is.  Borrowed until
 * tape_forget, which comes before the next tape_hand. */
void tape_hand(struct tape *t, struct events_piece *ret);
/* tape_handed, tape_stored: numbers of the last event that was handed over, that the log has; 0: none. */
uint64_t tape_handed(const struct tape *t);
uint64_t tape_stored(const struct tape *t);
/* tape_arrived: what was handed over is in the log.  tape_forget: so it goes. */
void tape_arrived(struct tape *t);
void tape_forget(struct tape *t);
/* tape_rest: what is not known to be in the log, that on its way included; .data empty: nothing.  Borrowed
 * until tape_clear.  False: no memory. */
bool tape_rest(struct tape *t, struct events_piece *ret) MUST_USE;

/* --- readers --- */

/* What a reader is told with the events. */
struct tape_state {
	bool            full;     /* it was over its maximum: nothing can be read */
	bool            has_more; /* than this page */
	enum run_status status;   /* RUN_RUNNING until it ended */
	uint64_t        last_seq;
};
/* tape_read: records (msg/event_code.h) from the place *at on, up to about max bytes, appended to out; *at moves
 * on.  error: what tape_end was given, appended once it has ended and all was read.
 * False: no memory. */
bool tape_read(struct tape *t, uint64_t *at, size_t max, struct buf *out, struct buf *error,
	       struct tape_state *ret) MUST_USE;
