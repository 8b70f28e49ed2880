/* A run's part in the cache of answers.  Internal to run/.
 *
 *   asked? --> prompt, digest --> look --found--> hit: the steps go on, and replay takes the provider's place
 *                                  |
 *                                  +--unknown--> claim the digest --first--> miss: the call; its events are gathered,
 *                                     ^             |                        and kept when the run has ended well
 *                                     |             +--watched--> reserve, begin, await: the other call's end --+
 *                                     +-------------------------------------------------------------------------+
 *
 * Where gateways share the store, the first takes the digest's name there, too, before it makes the call; while
 * another gateway has it, it looks again every PAUSE_US.
 *
 * Who waits is a run like one whose provider is silent: it is stored, its client may be told, and its stream is kept
 * open.  It is given nothing before the other call has ended, because only then is it known to be an answer.
 *
 * cache.c        the steps, and the end      cache_digest.c  which requests are equal
 * cache_replay.c a kept answer as a call     stage/remember.c gathers the events
 * cache_survey.c whether they can be kept */
#pragma once

#include "desk/claims.h"
#include "run/internal.h"
#include "store/answer.h"
#include "store/cache.h"
#include "store/ledger.h"

struct run_cache {
	struct run        *run;
	unsigned char      digest[HASH_BYTES];
	enum call_cache    result;
	bool               finished; /* an answer has ended as one should */
	bool               whole;    /* the provider's call has ended well */
	bool               records;  /* events are gathered */
	bool               waited;   /* for another call */
	bool               again;    /* looked a second time */
	bool               late;     /* the other call had answered its client already */
	bool               watching; /* it is not over yet, or leaves the watch */
	bool               leaving;
	bool               pausing;  /* until the other gateway may have ended its call */
	bool               unwanted; /* nobody waits for the answer any more */
	bool               awaits;   /* somebody else makes the answer, or has made it */
	bool               parked;   /* in the step that waits for that */
	unsigned           seen;     /* kept_count, when the look began */
	bool               apart;    /* the answer is for calls of its own kind */
	int64_t            answers;  /* asked for */
	int64_t            ttl_ms;
	int64_t            began_ms; /* the call of a miss */
	int64_t            most;     /* bytes of all answers */
	struct claim      *claim;    /* owned until it has ended; NULL: none */
	struct claim_watch watch;
	struct claim_take  take; /* the same, where other gateways may make the call */
	struct id          taken;
	char               name[sizeof "cache " + HASH_HEX];
	struct timer       pause;
	struct task        later;
	struct cache_find  find;   /* with a hit: whose it was */
	struct buf         events; /* kept ones that are given, or new ones */
	struct err
		*owed; /* owned: why there is no budget for an answer of the run's own; or NULL */
};

/* cache_of: NULL: the run did not ask for the cache, or has not come so far. */
static inline struct run_cache *cache_of(const struct run *r)
{
	return run_stage_has(r, STAGE_REMEMBER);
}
void cache_drop(void *own);

/* cache_survey: what the events of an answer, of which so many were asked for, say of it.  cache_ends_well: whether
 * an answer with this finish_reason may be kept. */
struct cache_survey {
	bool finished;
	bool broken; /* a part is missing, or did not end well */
	bool apart;  /* a call of the other kind would lose something */
};
struct cache_survey cache_survey(struct str events, int64_t answers);
bool                cache_ends_well(struct str reason);
/* cache_replay_start: gives the kept events in the place of the provider. */
enum errc cache_replay_start(struct run *r, struct err *e) MUST_USE;
