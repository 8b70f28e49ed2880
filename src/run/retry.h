/* run/retry: what follows on an attempt that failed.  Decisions only: no clock, no I/O.
 *
 *                       +--> the same target, after a wait
 *   attempt --failed----+--> another target of the model, at once
 *      |                +--> the first target of the next fallback model, at once
 *      |                +--> the error, to the client
 *      +--its answer begins--> committed: whatever fails now is the client's
 *
 * An answer begins with its first content, or its finish reason; events in front of that are held
 * back (desk/tape, not committed).  From then on money is spent: no attempt follows.  The same
 * holds for a provider that took the request and fell silent.  The same target is asked again after
 * what cost nothing: no connection, 429, and an error instead of an answer.  What broke off or is
 * no answer may have cost: another target or model may do better and is asked, the same one is
 * not. */
#pragma once

#include "base/err.h"
#include "provider/health.h"

/* What a failure says about another attempt. */
enum retry_kind {
	RETRY_FAULT,   /* of the request, or of ours: another attempt would end alike */
	RETRY_SPENT,   /* it works, or did, and that costs */
	RETRY_BROKEN,  /* it gave no answer, or broke off in front of it; it may have cost */
	RETRY_CONNECT, /* it was not reached */
	RETRY_BUSY,    /* it said that it can't, 5xx */
	RETRY_LIMIT,   /* 429 */
	RETRY_USED_UP, /* no money or quota is left */
	RETRY_KEY,     /* the key was refused */
	RETRY_DENIED,  /* the key is good, and may not do that: region, model, terms */
};

enum retry_next {
	RETRY_STOP,  /* the client gets the error */
	RETRY_SAME,  /* the same target again, after wait_us */
	RETRY_OTHER, /* another target of the same model */
	RETRY_LATER, /* the next fallback */
};

struct retry_case {
	const struct err *err;
	bool              committed; /* its answer has begun */
	int64_t           again;     /* how many times the model's targets were asked again */
	int64_t           retries;   /* how many times they may be */
	bool              other;     /* the model has a healthy target that was not asked yet */
	bool              fallback;  /* there is a model to fall back on */
	int64_t           left_us;   /* of the total time limit; INT64_MAX: none */
	uint64_t          random;
};

struct retry_step {
	enum retry_next next;
	int64_t         wait_us;
};

/* retry_costs: the attempt may have to be paid for, though there is no answer. */
bool              retry_costs(const struct err *e);
struct retry_step retry_decide(const struct retry_case *c);
/* retry_news: what the failure says of the target's health; committed as above. */
enum health_news retry_news(const struct err *e, bool committed);
