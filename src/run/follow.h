/* run/follow: a follower is a later reader of a run.  The follower reads the run's events from the
 * store's log (or from the tape, if the run is stored nowhere), waits for new events, and ends with
 * the run.  A run may have any number of followers, on any loop, also after its first client has
 * left or its process has died.
 *
 * The state of an encoder decides what a block looks like.  So a follower always runs its encoder
 * from the first event of the run, and the encoder leaves out the blocks up to the cursor.  The
 * blocks that a client has and the blocks that it gets now are together the stream of the first
 * client.
 *
 * Threads: a follower belongs to the loop of its options; all functions and callbacks run there. */
#pragma once

#include "base/id.h"
#include "shape/encoder.h"
#include "shape/family.h"
#include "loop/loop.h"
#include "loop/work.h"
#include "store/store.h"

struct follow;
struct tape;

struct follow_observer {
	/* open: the stream begins; bytes are ready or will come.  Called once, before all
	 * others. */
	void (*open)(void *arg);
	/* none: called instead of open, once: the run has ended and the client has all of it (e
	 * NULL), or the run can't be read (NOT_FOUND, GONE, OVERLOADED, STORAGE, INTERNAL).  The
	 * follower frees itself. */
	void (*none)(void *arg, const struct err *e);
	/* wake: follow_ready has more. */
	void (*wake)(void *arg);
};

struct follow_options {
	struct loop      *loop;
	struct work_pool *cpu;   /* borrowed; prints long blocks; NULL: the loop prints them */
	struct store     *store; /* borrowed */
	int64_t           owner;
	struct id         run;
	struct tape *tape;     /* a hold that a started follower takes over; NULL: read the store */
	struct str   model;    /* with a tape: as asked; borrowed as long as the follower lives */
	struct str   settings; /* likewise: as in call_request */
	int64_t      created_ms; /* with a tape: wall clock */
	/* A run of another family is not found; and a reader from the start gets the events that the
	 * stored answer makes, if the log is not kept any more. */
	bool                 own_only;
	const struct family *family;   /* the reader's, not the run's */
	const struct shape  *shape;    /* for the family; NULL: the run's own; not with a tape */
	int64_t              guess_in; /* guess_in to reasoning: see struct encoder_about */
	bool                 want_usage;
	enum reasoning_name  reasoning;
	struct cursor        cursor; /* the last block that the client has */
	const struct follow_observer *observer;
	void                         *arg;
};

/* follow_start: begins to read; no callback is called before the loop's next turn.  *o is copied.
 * NULL: no memory. */
struct follow *follow_start(const struct follow_options *o) MUST_USE;
/* follow_leave: ends and frees the follower; no callback follows.  Must not be called after
 * `none`. */
void follow_leave(struct follow *f);

/* follow_ready: the bytes that wait for the client, borrowed until follow_taken; *ret_last: no
 * bytes follow these.  follow_taken: the client has taken the first n of them. */
struct str follow_ready(struct follow *f, bool *ret_last);
void       follow_taken(struct follow *f, size_t n);
/* follow_broken: asked after the last byte: the body of the answer must end as a broken one,
 * because the stream has no last block, or because the run has failed and abort is set. */
bool follow_broken(const struct follow *f, bool abort);
