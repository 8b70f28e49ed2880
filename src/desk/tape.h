/* desk/tape: the numbered events of one run, each written once, as records of the event log
 * (msg/event_code).
 *
 *   [ stored: in the log ][ handed to the store ][ committed ]     after the commit of an attempt
 *   [ not committed ]                                              before
 *
 * Events that are not committed can be cut off, with the attempt that they came from, and only the
 * run may read them.  Stored events are removed from the tape.  The tape of a run that is not
 * stored keeps all events for later readers, up to its maximum.  docs/internals/streams.md has the way
 * from here to readers.
 *
 * Threads: the writer is the run's loop; only tape_read, tape_hold and tape_release may be called
 * on other threads, tape_read only if the tape is shared.  The holders of a tape own it
 * together. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "store/events.h"
#include "store/run.h"

struct tape;

/* tape_create: makes a tape with one holder.  max: the most bytes after the commit; 0: the tape
 * keeps nothing after the commit.  shared: other threads may call tape_read.  NULL: no memory. */
struct tape *tape_create(size_t max, bool shared) MUST_USE;
struct tape *tape_hold(struct tape *t);
void         tape_release(struct tape *t); /* NULL is fine */

/* --- the writer --- */

/* tape_keeps: whether the tape keeps events after the commit. */
bool tape_keeps(const struct tape *t);
/* tape_add: appends an event with the number seq.  Before the commit, the tape has room for
 * LIMIT_COMMIT_BYTES.  False: the tape is full or lost, or memory is short; errno as from
 * buf_add. */
bool tape_add(struct tape *t, const struct event *ev, uint64_t seq) MUST_USE;
/* tape_lose: removes all events for good, because one of them has no room: the run goes on, but
 * readers get no events any more (struct tape_state, full). */
void tape_lose(struct tape *t);
/* tape_commit: commits the events of the attempt, and all that follow.  tape_cut: removes the
 * events that are not committed. */
void tape_commit(struct tape *t);
void tape_cut(struct tape *t);
/* tape_uncommitted: the records that are not committed; empty after the commit.  Borrowed until the
 * writer's next call, except for tape_commit. */
struct str tape_uncommitted(const struct tape *t);
/* tape_clear: removes the events that were not handed to the store. */
void tape_clear(struct tape *t);
/* tape_end: tells readers the run's end, after its last event.  error: a JSON object, copied, or
 * empty. */
void tape_end(struct tape *t, enum run_status status, uint64_t last_seq, struct str error);

/* A place on a tape is a number of bytes: of all records that were ever added, except for those
 * that were cut off.  tape_head: the place after the newest event.  tape_newest: the place of the
 * newest event; the head if there is none. */
uint64_t tape_head(const struct tape *t);
uint64_t tape_newest(const struct tape *t);
/* tape_next: reads the committed event at the place *at, and moves *at to the next one; the spans
 * of *ret are borrowed until the writer's next call.  False: no event is at this place, or it was
 * removed. */
bool tape_next(const struct tape *t, uint64_t *at, struct event *ret, uint64_t *ret_seq);

/* --- the store, by way of the writer --- */

/* tape_hand: the committed events that the store was not handed yet; .data is empty if there are
 * none.  Borrowed until tape_forget, which must be called before the next tape_hand. */
void tape_hand(struct tape *t, struct events_piece *ret);
/* tape_handed: the number of the last event that was handed to the store; tape_stored: of the last
 * event that the log has; 0: none. */
uint64_t tape_handed(const struct tape *t);
uint64_t tape_stored(const struct tape *t);
/* tape_arrived: the log has the events that were handed over.  tape_forget: removes these events
 * from the tape, whether the log has them or not. */
void tape_arrived(struct tape *t);
void tape_forget(struct tape *t);
/* tape_rest: all events that are not known to be in the log: those on their way, and those after
 * them; .data of either is empty if there are none.  Borrowed until tape_clear, tape_forget or
 * not: an answer of many megabytes is not copied at its end. */
void tape_rest(struct tape *t, struct events_piece ret[EVENTS_REST]);

/* --- readers --- */

/* The state of the tape and of its run at the time of a read. */
struct tape_state {
	bool            full;     /* tape_lose was called: there is nothing to read */
	bool            has_more; /* the tape has events after this page */
	enum run_status status;   /* RUN_RUNNING until tape_end */
	uint64_t        last_seq; /* the number of the end; 0 until tape_end */
};
/* tape_read: appends records (msg/event_code.h) to out, from the place *at on, about max bytes, and
 * moves *at past them.  When the run has ended and all events are read, the error of tape_end is
 * appended to error.  False: no memory. */
bool tape_read(struct tape *t, uint64_t *at, size_t max, struct buf *out, struct buf *error,
	       struct tape_state *ret) MUST_USE;
