/* run/follow: a reader of a run's events: from the store's log (or, of a run that is stored nowhere,
 * from its tape), from its start or from behind a cursor, then as they come, to the end.  Any number of them may follow one run, on any loop, also
 * when its first client left or its process died.
 *
 * The encoder is run from the run's first event in any case, as its state decides what a block looks
 * like; blocks up to the cursor are dropped.  So what a client saw before and what it gets now make
 * up the stream as it was. */
#pragma once

#include "shape/encoder.h"
#include "loop/loop.h"
#include "store/store.h"

struct follow;
struct tape;

/* The id of a block: the event's number and the block's among the event's.  All blocks up to it, it
 * included, were seen. */
struct follow_cursor {
	uint64_t seq; /* 0: none was seen */
	uint64_t nth;
};
/* follow_cursor_parse: `<n>` or `<n>.<k>`; false: neither. */
bool follow_cursor_parse(struct str text, struct follow_cursor *ret);

struct follow_observer {
	/* open: there is something to read, or there will be.  First, once. */
	void (*open)(void *arg);
	/* none: instead of open: the run has ended and nothing is left (e NULL), or it can't be read
	 * (NOT_FOUND, GONE, OVERLOADED, STORAGE).  The follower ends itself. */
	void (*none)(void *arg, const struct err *e);
	/* wake: follow_ready has more. */
	void (*wake)(void *arg);
};

struct follow_options {
	struct loop         *loop;
	struct store        *store;
	int64_t              owner;
	struct id            run;
	struct tape         *tape;  /* held for the follower, which has it once started; NULL: the store */
	struct str           model; /* with a tape: as asked; borrowed as long as the follower lives */
	int64_t              created_ms;
	bool                 shape_set; /* else the run's own */
	enum shape           shape;
	bool                 openai;    /* as /v1/chat/completions says it, not in our own dialect */
	bool                 want_usage; /* only there: the client asked for it */
	enum reasoning_name  reasoning; /* as struct encoder_about has it */
	struct follow_cursor cursor;
	const struct follow_observer *observer;
	void                *arg;
};

/* follow_start: NULL: no memory.  Nothing is called from within. */
struct follow *follow_start(const struct follow_options *o) MUST_USE;
/* follow_leave: the reader goes; no callback follows.  Not after `none`. */
void follow_leave(struct follow *f);

/* As run_ready and run_taken. */
struct str follow_ready(struct follow *f, bool *ret_last);
void       follow_taken(struct follow *f, size_t n);
/* follow_broken: behind the last byte: what was given must not look whole.  There is no last block,
 * or, as /v1/chat/completions says it, that is an error. */
bool       follow_broken(const struct follow *f);
