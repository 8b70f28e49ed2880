/* run/follow: a reader of a run's events: from the store's log (or, of a run that is stored
 * nowhere, from its tape), from its start or from behind a cursor, then as they come, to the end.
 * Any number of them may follow one run, on any loop, also when its first client left or its
 * process died.
 *
 * The encoder is run from the run's first event in any case, as its state decides what a block
 * looks like, and leaves out the blocks up to the cursor.  So what a client saw before and what it
 * gets now make up the stream as it was. */
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
	/* open: there is something to read, or there will be.  First, once. */
	void (*open)(void *arg);
	/* none: instead of open: the run has ended and nothing is left (e NULL), or it can't be
	 * read (NOT_FOUND, GONE, OVERLOADED, STORAGE).  The follower ends itself. */
	void (*none)(void *arg, const struct err *e);
	/* wake: follow_ready has more. */
	void (*wake)(void *arg);
};

struct follow_options {
	struct loop      *loop;
	struct work_pool *cpu; /* prints long blocks; NULL: the loop does */
	struct store     *store;
	int64_t           owner;
	struct id         run;
	struct tape *tape;  /* held for the follower, which has it once started; NULL: the store */
	struct str   model; /* with a tape: as asked; borrowed as long as the follower lives */
	int64_t      created_ms;
	const struct family *family;     /* in which it is read, whatever it was asked in */
	const struct shape  *shape;      /* of the family; NULL: the run's own, without a tape */
	bool                 want_usage; /* as struct encoder_about has these two */
	enum reasoning_name  reasoning;
	struct cursor        cursor;
	const struct follow_observer *observer;
	void                         *arg;
};

/* follow_start: NULL: no memory.  Nothing is called from within. */
struct follow *follow_start(const struct follow_options *o) MUST_USE;
/* follow_leave: the reader goes; no callback follows.  Not after `none`. */
void follow_leave(struct follow *f);

/* As run_ready and run_taken. */
struct str follow_ready(struct follow *f, bool *ret_last);
void       follow_taken(struct follow *f, size_t n);
/* follow_broken: behind the last byte: what was given must not look whole.  There is no last block,
 * or the run failed, in a family whose clients would not notice. */
bool follow_broken(const struct follow *f);
