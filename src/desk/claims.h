/* desk/claims: who makes an answer just now, and who waits for it.
 *
 *   STARTING --> DISPATCHED --> COMMITTED --> KEPT or FREED      a claim; any of them may lead to the end
 *
 * The first to claim a digest holds the claim; others who claim the same digest watch it.  A claim ends as KEPT
 * when the store knows the answer, which from then on tells it (store/answer.h), or as FREED, and then somebody
 * else may claim the digest.  The digest may be of anything, but its text should begin with the name of its
 * client, so that two clients never mean the same one.  A client that lets everybody make the answer, such as a
 * cache without waiting, needs no claim.
 *
 * Threads: any; a watcher is notified by a task on its own loop, and several notifications may
 * become one task. */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/list.h"
#include "loop/loop.h"

enum claim_stage {
	CLAIM_STARTING,   /* the store looks for the answer, or the run is being prepared */
	CLAIM_DISPATCHED, /* the run is durable, the provider is being asked */
	CLAIM_COMMITTED,  /* the provider has begun to answer */
	CLAIM_FREED, /* over; the next one may claim the digest; err: why the call failed, if so */
	CLAIM_KEPT,  /* over; the store has the answer */
};

struct claim; /* owned by its holder: the first request, then its run */

/* Embedded in the watcher; zero but for loop, fn and gone before claim_digest. */
struct claim_watch {
	struct task  task;
	struct loop *loop;
	void (*fn)(struct claim_watch *w);   /* stage, run and err are news */
	void (*gone)(struct claim_watch *w); /* after claim_leave: w may be freed */
	enum claim_stage stage;
	struct id        run;          /* run, conversation: from DISPATCHED on */
	struct id        conversation; /* none: not stored */
	struct err       err;
	/* claims.c's own */
	struct claim    *claim;
	struct list_link link;
	bool             posted;
	bool             stopping;
};

enum claimed {
	CLAIM_FIRST,   /* *ret is the caller's, until claim_end */
	CLAIM_WATCHED, /* w watches the claim of its holder; fn follows at once */
	CLAIM_OTHER,   /* its holder was asked for something else */
	CLAIM_NO_MEMORY,
};

/* claim_digest: claims the digest for the caller, or watches its holder's claim.  asked: the digest of what is
 * asked for, if the first does not say it; otherwise the same once more. */
enum claimed claim_digest(const unsigned char digest[HASH_BYTES],
			  const unsigned char asked[HASH_BYTES], struct claim_watch *w,
			  struct claim **ret) MUST_USE;
/* claim_reach: moves the claim to DISPATCHED or COMMITTED, and notifies its watchers.
 * claim_end: ends the claim as KEPT or FREED; e: why the call failed, or NULL.  It is gone for its holder.
 * NULL is fine for both. */
void claim_reach(struct claim *c, enum claim_stage stage, struct id run, struct id conversation);
void claim_end(struct claim *c, enum claim_stage how, const struct err *e);
/* claim_leave: ends the watch: fn is not called any more; gone is, from within or soon. */
void claim_leave(struct claim_watch *w);
