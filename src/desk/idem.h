/* desk/idem: the idempotency keys of running calls, and the requests that wait for the same
 * answers.
 *
 *   STARTING --> DISPATCHED --> COMMITTED --> OVER       a claim; any of them may lead to OVER
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

enum { IDEM_MAX = 255 }; /* characters of a key */

struct idem_name {
	int64_t       owner;
	char          key[IDEM_MAX + 1];
	unsigned char fingerprint[HASH_BYTES];
};

enum idem_stage {
	IDEM_STARTING,   /* the store looks for the key, or the run is being prepared */
	IDEM_DISPATCHED, /* the run is durable, the provider is being asked */
	IDEM_COMMITTED,  /* the provider has begun to answer */
	IDEM_FREED, /* over; the next request may claim the key; err: why the call failed, if so */
	IDEM_KEPT,  /* over; the store has the answer */
};

struct idem_claim; /* owned by the first request, then by its run */

/* Embedded in the watcher; zero but for loop, fn and gone before idem_claim. */
struct idem_watch {
	struct task  task;
	struct loop *loop;
	void (*fn)(struct idem_watch *w);   /* stage, run and err are news */
	void (*gone)(struct idem_watch *w); /* after idem_leave: w may be freed */
	enum idem_stage stage;
	struct id       run;          /* run, conversation: from DISPATCHED on */
	struct id       conversation; /* none: not stored */
	struct err      err;
	/* idem.c's own */
	struct idem_claim *claim;
	struct list_link   link;
	bool               posted;
	bool               stopping;
};

enum idem_claimed {
	IDEM_FIRST,   /* *ret is the caller's, until idem_over */
	IDEM_WATCHED, /* w watches the claim of an earlier request; fn follows at once */
	IDEM_OTHER,   /* the key belongs to a request with another fingerprint */
	IDEM_NO_MEMORY,
};

/* idem_claim: claims the key for the caller, or watches the claim of an earlier request with the
 * same fingerprint.  idem_name: the name of a claim, borrowed while the caller has the claim. */
enum idem_claimed       idem_claim(const struct idem_name *name, struct idem_watch *w,
				   struct idem_claim **ret) MUST_USE;
const struct idem_name *idem_name(const struct idem_claim *c);
/* idem_reach: moves the claim to DISPATCHED or COMMITTED, and notifies its watchers. */
void idem_reach(struct idem_claim *c, enum idem_stage stage, struct id run, struct id conversation);
/* idem_taken: the store knows the claim of this process under an id, which idem_store's function gets
 * when the claim ends as FREED.  idem_store: sets that function, which any thread may call; NULL: none.
 * idem_holder: as whose the store knows the claim; 0: it does not. */
void    idem_taken(struct idem_claim *c, struct id taken, int64_t holder);
int64_t idem_holder(const struct idem_claim *c);
void    idem_store(void (*give_back)(struct id taken));
/* idem_over: ends the claim as FREED or KEPT; e may be NULL. The claim is gone for its owner. */
void idem_over(struct idem_claim *c, enum idem_stage how, const struct err *e);
/* idem_leave: ends the watch: fn is not called any more; gone is, from within or soon. */
void idem_leave(struct idem_watch *w);
