/* desk/keys: the idempotency keys of running calls, and the requests that wait for the same
 * answers.
 *
 *   STARTING --> BEGUN --> BOUND --> OVER       a claim; any of them may lead to OVER
 *
 * The first request with a key claims it; others with the same key watch the claim. A claim ends
 * when the store knows the result; from then on the store answers for the key.
 *
 * Threads: any; a watcher is notified by a task on its own loop, and several notifications may
 * become one task. */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/list.h"
#include "loop/loop.h"

enum { KEYS_MAX = 255 }; /* characters of a key */

struct keys_name {
	int64_t       owner;
	char          key[KEYS_MAX + 1];
	unsigned char fingerprint[HASH_BYTES];
};

enum keys_stage {
	KEYS_STARTING, /* the store is asked whether the key is known, or the run is being prepared */
	KEYS_BEGUN,    /* the run is durable, the provider is being asked */
	KEYS_BOUND,    /* the provider has begun to answer */
	KEYS_FREED,    /* over; whoever comes next may claim the key (err: why the call failed, if it did) */
	KEYS_KEPT,     /* over; the store has the answer */
};

struct keys_claim; /* one request's, then its run's */

/* Embedded in the watcher; zero but for loop, fn and gone before keys_claim. */
struct keys_watch {
	struct task        task;
	struct loop       *loop;
	void (*fn)(struct keys_watch *w);   /* stage, run and err are news */
	void (*gone)(struct keys_watch *w); /* after keys_leave: w may be freed */
	enum keys_stage    stage;
	struct id          run; /* these two from BEGUN on */
	struct id          conversation; /* none: not stored */
	struct err         err;
	/* keys.c's own */
	struct keys_claim *claim;
	struct list_link   link;
	bool               posted;
	bool               stopping;
};

enum keys_answer {
	KEYS_FIRST,   /* *ret is the caller's, until keys_over */
	KEYS_WATCHED, /* w watches the claim that there is; fn follows at once */
	KEYS_OTHER,   /* the key's request is another one */
	KEYS_NO_MEMORY,
};

enum keys_answer keys_claim(const struct keys_name *name, struct keys_watch *w,
			    struct keys_claim **ret) MUST_USE;
const struct keys_name *keys_name(const struct keys_claim *c);
/* keys_reach: moves the claim to BEGUN or BOUND, and notifies its watchers. */
void keys_reach(struct keys_claim *c, enum keys_stage stage, struct id run, struct id conversation);
/* keys_over: ends the claim as FREED or KEPT; e may be NULL. The claim is gone for its owner. */
void keys_over(struct keys_claim *c, enum keys_stage how, const struct err *e);
/* keys_leave: ends the watch: fn is not called any more; gone is, from within or soon. */
void keys_leave(struct keys_watch *w);
