/* desk/admit: decides whether a call of a model may begin.  The call must be within the limits of
 * its key and of all callers; then the call needs one of max_calls places, or waits for one in a
 * list of at most max_waiting calls, first come, first served.
 *
 *   loop 1, 2, …                    process                              loop of the waiter
 *   admit_enter --over a limit--> 429
 *      |---- a place is free ----> in
 *      |---- no room to wait ----> 503
 *      +--> [head] w w w w [tail]        (one list for all loops, one lock)
 *             |  ^ a waiter's timer and admit_leave run on the waiter's own loop
 *   admit_over: the head gets the place of the ended call ------loop_post--> fn(w, NULL)
 *             |-- wait_us is over -------------------------------(timer)--> fn(w, 503)
 *             +-- admit_drain: all waiters ------------------loop_post----> fn(w, 503)
 *
 * A waiter is removed from the list once, under the lock, so no place is lost or given twice.  If
 * the client of a waiter leaves while the waiter's task is on its way, the waiter gives its place
 * to the next one at once, and is freed when the task arrives.
 *
 * The waiting calls of a key count as running calls, so the limit `concurrent` bounds the key's
 * part of the list too.
 *
 * After admit_share, the limits are those of all processes that use the store (desk/quota), and some calls wait for
 * the store before anything else:
 *
 *   admit_enter --a share is short--> share_take of the store --> (over a limit? in? in the list?) as above
 *             ^--calls at once: three times more, each 100 ms later, as an end elsewhere is told a moment later
 *
 * Threads: any; a waiter belongs to its loop. */
#pragma once

#include "base/identity.h"
#include "base/list.h"
#include "loop/loop.h"
#include "desk/quota.h"
#include "desk/rate.h"

/* The limits of one configuration. */
struct admit_settings {
	struct allowance limits;      /* for all calls together */
	int64_t          max_calls;   /* calls at once */
	int64_t          max_waiting; /* calls that wait for a place; 0: none may wait */
	int64_t          wait_us;     /* the longest wait */
};

/* The amounts that a call took from limits. */
union admit_hold;

/* A call's place and what it took from limits, from admit_enter to admit_over; may be copied, where one copy alone goes to
 * admit_over. */
struct admit_pass {
	union admit_hold *hold; /* owned; NULL: it counts for no limit */
	bool              in;   /* it has a place */
};

/* A waiting call; embedded in its owner, zero before. */
struct admit_wait {
	/* The answer. e is NULL: w->pass is in; otherwise the call is refused, and nothing is
	 * held. */
	void (*fn)(struct admit_wait *w, const struct err *e);
	void (*gone)(struct admit_wait *w); /* after an admit_leave that returned false */
	/* The limits as they stand now, before fn: they were not known yet when admit_enter returned. */
	void (*told)(struct admit_wait *w, const struct rate_view *view);
	struct admit_pass pass;
	/* admit.c's own */
	struct task      task;
	struct timer     timer;
	struct loop     *loop;
	struct list_link link;
	size_t           bytes;
	int64_t          since_us;
	unsigned         state;
};

struct admit_ask {
	const struct admit_settings *now;
	const struct identity       *who;
	int64_t                      tokens; /* an estimate; these two: see struct rate_ask */
	bool                         open;
	size_t                       bytes; /* memory that the call would hold while it waits */
	struct loop                 *loop;  /* the waiter's; fn and gone are called there */
};

enum admit_answer {
	ADMIT_IN,      /* w->pass is the caller's until admit_over */
	ADMIT_WAITS,   /* fn follows, or gone after admit_leave */
	ADMIT_REFUSED, /* e says why; nothing is held */
};

/* admit_share: limits are shared with the other processes of the store, which lives longer than all calls.  To be
 * called before the first call.  admit_spare: what they get back, for the store's threads (store/engine.h).  False: no
 * memory. */
bool   admit_share(struct store *s) MUST_USE;
size_t admit_spare(struct share_keep *ret, size_t max, bool again);

/* admit_enter: asks for a place; w->fn, w->gone and w->told are set. *view: the limits as they stand now. */
enum admit_answer admit_enter(const struct admit_ask *ask, struct admit_wait *w,
			      struct rate_view *view, struct err *e) MUST_USE;
/* admit_leave: ends the waiting. True: w may be freed at once; false: gone follows. */
bool admit_leave(struct admit_wait *w) MUST_USE;
/* admit_over: gives the place back at the end of a call; asked and tokens as in rate_give. Does
 * nothing for a pass that is not in. */
void admit_over(struct admit_pass *p, bool asked, int64_t tokens);
/* admit_look: the limits of a caller, for answers to requests that were not admitted. */
void admit_look(const struct admit_settings *now, const struct identity *who,
		struct rate_view *view);
/* admit_counts_tokens: whether some limit of tokens applies to the caller, so that an estimate
 * is worth its time. */
bool admit_counts_tokens(const struct admit_settings *now, const struct identity *who);
/* admit_drain: refuses all waiting calls; from now on no call waits. */
void admit_drain(void);

struct admit_stats {
	int64_t calls, waiting;
};
void admit_stats(struct admit_stats *ret);
