/* run/retry: what follows a failed attempt.  Decisions only: no clock, no I/O.  Threads: any.
 *
 *                       +--> the same target, after a wait
 *   attempt --failed----+--> another target of the model, at once
 *      |                +--> the first target of the next fallback model, at once
 *      |                +--> the error, to the client
 *      +--its answer begins--> committed: the client gets every later failure
 *
 * An answer begins with its first content or its finish_reason; earlier events are held back
 * (desk/tape, not committed).  A begun answer costs money, so no attempt follows.  The same holds
 * for a provider that took the request and fell silent.  The same target is asked again after
 * failures that cost nothing: no connection, a 429, an error instead of an answer.  An answer that
 * broke off early or can't be read may have cost money: another target or model may do better and
 * is asked, the same target is not.
 *
 * A target that refuses what another host signed (thinking, reasoning) is asked once more, without: only the
 * host that signed it can read it, and a conversation may have gone to another one. */
#pragma once

#include "base/err.h"
#include "provider/health.h"

/* Kinds of failure, by what they say about another attempt. */
enum retry_kind {
	RETRY_FAULT,   /* the request's fault, or the gateway's: another attempt would fail alike */
	RETRY_SIGNED,  /* the request has what another host signed; without, it may go well */
	RETRY_SPENT,   /* a time limit ended the call; the provider worked on it, which costs */
	RETRY_BROKEN,  /* the answer can't be read, or broke off: the call may cost */
	RETRY_CONNECT, /* the provider was not reached */
	RETRY_BUSY,    /* the provider's own failure: 5xx, or an error as the first event */
	RETRY_UNSURE, /* a 500 of a server that answers other calls: its failure, or the request's */
	RETRY_LIMIT,  /* 429 */
	RETRY_USED_UP, /* the key has no money or quota left */
	RETRY_KEY,     /* the key was refused */
	RETRY_DENIED,  /* the key is valid, but not for this call: region, model, terms */
};

enum retry_next {
	RETRY_STOP,  /* the client gets the error */
	RETRY_SAME,  /* the same target again, after wait_us */
	RETRY_BARE,  /* the same target again, at once, without what is signed */
	RETRY_OTHER, /* another target of the same model */
	RETRY_LATER, /* the next fallback */
};

struct retry_case {
	const struct err *err;
	bool              committed; /* the attempt's answer has begun */
	bool              serves;    /* the target has answered other calls of late */
	int64_t           again;     /* retries of the model's targets so far */
	int64_t           retries;   /* how many the provider's entry allows */
	bool              bare;      /* the attempt was without what is signed */
	bool              other;     /* the model has a healthy target that was not asked yet */
	bool              fallback;  /* another fallback model is left */
	int64_t           left_us;   /* rest of the total time limit; INT64_MAX: no limit */
	uint64_t          random;
};

struct retry_step {
	enum retry_next next;
	int64_t         wait_us; /* before the next attempt; 0: at once */
};

/* retry_costs: whether the provider may charge for the failed attempt. */
bool retry_costs(const struct err *e);
/* retry_decide: what follows the failure, and after which wait. */
struct retry_step retry_decide(const struct retry_case *c);
/* retry_news: what the failure says about the target's health; committed, serves: as in struct
 * retry_case. */
enum health_news retry_news(const struct err *e, bool committed, bool serves);
