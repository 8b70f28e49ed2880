/* desk/live_feed: the states of live runs, for those who follow them from any loop.
 *
 *   a run's loop: live_… --live_feed_tell--> pending of each feed --task--> fn, on the feed's loop
 *
 * A feed holds at most one state of a run, its newest: a slow follower misses states between, never
 * the last.  A feed with LIMIT_LIVE_STATES runs pending is lost.
 *
 * Threads: live_feed_tell and live_feed_drain any; the rest on the feed's own loop. */
#pragma once

#include "base/id.h"
#include "base/identity.h"
#include "base/list.h"
#include "loop/loop.h"
#include "msg/event.h"
#include "store/run.h"

enum { LIVE_FEED_MODEL = 96, LIVE_FEED_PROVIDER = 64, LIVE_FEED_WORD = 64 };

/* How a run has ended; without the status. */
struct live_end {
	int64_t      completed_ms;
	char         finish_reason[LIVE_FEED_WORD]; /* JSON-escaped; empty: none */
	char         code[LIVE_FEED_WORD];          /* its error's; empty: none */
	struct usage usage;
	bool         costs; /* cost_nano is known */
	int64_t      cost_nano;
};

/* The facts of a run that followers are told; never content. */
struct live_state {
	struct id       id;
	struct id       conversation; /* none: it is not stored */
	int64_t         owner;
	char            key[IDENTITY_ID_MAX];
	enum run_status status;
	int64_t         created_ms;
	char            model[LIVE_FEED_MODEL];
	char            provider[LIVE_FEED_PROVIDER];
	unsigned        attempts;
	int64_t         first_token_ms;
	struct live_end end; /* for a run that has ended */
};

/* Embedded in the follower; zero but for its first members before live_feed_start. */
struct live_feed {
	struct loop *loop;
	bool         all; /* runs of all owners, instead of owner's */
	int64_t      owner;
	/* each: fn for each run of the i-th part of those that go on; false: there are no more parts. */
	bool (*each)(size_t i, void (*fn)(const struct live_state *s, void *arg), void *arg);
	void (*fn)(struct live_feed *f);   /* there is more to take */
	void (*gone)(struct live_feed *f); /* after live_feed_stop: f may be freed */
	/* live_feed.c's own */
	struct task        task;
	struct list_link   link;
	struct live_state *states; /* owned; from `taken` to `count` */
	size_t             taken, count, cap;
	size_t             part; /* the next to be told, of the runs that go on at the start */
	bool               posted, stopping, lost, drained, ready;
};

enum live_feed_next {
	LIVE_FEED_STATE,
	LIVE_FEED_READY,   /* once: all runs that went on at the start were told */
	LIVE_FEED_NOTHING, /* fn follows */
	LIVE_FEED_LOST,    /* too much was pending, or memory is short */
	LIVE_FEED_DRAINED, /* the gateway stops */
};

/* live_feed_start: errors: OVERLOADED (there are too many), DRAINING. */
enum errc live_feed_start(struct live_feed *f, struct err *e) MUST_USE;
/* live_feed_stop: fn is not called any more; gone is, from within or soon. */
void                live_feed_stop(struct live_feed *f);
enum live_feed_next live_feed_take(struct live_feed *f, struct live_state *ret);
/* live_feed_any: whether somebody follows, so that states are worth their making. */
bool live_feed_any(void);
/* live_feed_tell: a run has a new state. */
void live_feed_tell(const struct live_state *s);
/* live_feed_drain: all feeds end, and none begins. */
void live_feed_drain(void);
