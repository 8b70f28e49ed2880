/* The kind of each failure, and what follows each kind. */
#include "run/retry.h"

#include "base/limits.h"

#include <string.h>

enum {
	WAIT_FIRST_US = 500 * 1000,    /* each further wait is twice as long */
	WAIT_MAX_US = 2 * 1000 * 1000, /* longer waits are left to the client */
	WAIT_MORE_US = 5 * 1000,       /* added to Retry-After: no retry is a clock's tick early */
};

/* no_money: whether the provider wants to be paid first; no wait mends that. */
static bool no_money(const struct err *e)
{
	/* Sources: the pages of errors of OpenAI, whose type for its last four codes need not be
	 * insufficient_quota, and of Anthropic. */
	static const char *const codes[] = {
		"insufficient_quota",           "billing_hard_limit_reached",
		"billing_not_active",           "insufficient_balance",
		"credit_balance_exhausted",     "organization_spend_limit_exceeded",
		"project_spend_limit_exceeded", "organization_usage_limit_exceeded",
		"enforced_spend_limit_reached",
	};

	if (e->upstream_status == 402)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (strcmp(e->wire, codes[i]) == 0 || strcmp(e->type, codes[i]) == 0)
			return true;
	return false;
}

static enum retry_kind of_status(const struct err *e)
{
	switch (e->upstream_status) {
	case 500:
	case 502:
	case 503:
	case 504:
	case 529: return RETRY_BUSY;
	case 402: return RETRY_USED_UP;
	case 200: return RETRY_BUSY; /* the first event of the stream was an error */
	}
	return RETRY_FAULT;
}

/* retry_kind: serves: as in struct retry_case.  Servers answer some faulty requests with a 500 and an
 * error object (llama.cpp, llama-cpp-python). */
static enum retry_kind retry_kind(const struct err *e, bool serves)
{
	switch ((int)e->code) {
	case ERR_UPSTREAM_CONNECT:
	case ERR_CONNECT_TIMEOUT: return RETRY_CONNECT;
	case ERR_UPSTREAM_RATE_LIMIT: return no_money(e) ? RETRY_USED_UP : RETRY_LIMIT;
	case ERR_UPSTREAM_SIGNATURE: return RETRY_SIGNED;
	case ERR_UPSTREAM_AUTH: return RETRY_KEY;
	case ERR_UPSTREAM_DENIED: return RETRY_DENIED;
	case ERR_UPSTREAM_ERROR:
		return serves && e->explained && e->upstream_status == 500 ? RETRY_UNSURE
									   : of_status(e);
	case ERR_UPSTREAM_UNAVAILABLE: return of_status(e);
	case ERR_UPSTREAM_BAD_RESPONSE:
	case ERR_STREAM_INCOMPLETE: return RETRY_BROKEN;
	case ERR_FIRST_BYTE_TIMEOUT:
	case ERR_IDLE_TIMEOUT:
	case ERR_TOTAL_TIMEOUT:
	case ERR_UPSTREAM_TIMEOUT: return RETRY_SPENT;
	}
	return RETRY_FAULT;
}

bool retry_costs(const struct err *e)
{
	enum retry_kind kind = retry_kind(e, false);

	return kind == RETRY_SPENT || kind == RETRY_BROKEN;
}

/* wait_us: the provider's Retry-After and up to a quarter more; without one, half to all of 0.5 s,
 * 1 s, 2 s, 2 s, …  The random part spreads calls that failed together. */
static int64_t wait_us(const struct retry_case *c)
{
	int64_t us = c->err->retry_after_ms * 1000;

	if (us > 0)
		return us + WAIT_MORE_US + (int64_t)(c->random % (uint64_t)(us / 4 + 1));
	us = c->again < 2 ? WAIT_FIRST_US << c->again : WAIT_MAX_US;
	return us / 2 + (int64_t)(c->random % (uint64_t)(us / 2 + 1));
}

/* may_ask_same: whether the same target may be asked again after a wait that the client can bear. */
static bool may_ask_same(const struct retry_case *c, enum retry_kind kind)
{
	int64_t told_us = c->err->retry_after_ms * 1000;

	if (c->again >= c->retries || told_us > WAIT_MAX_US ||
	    (kind == RETRY_UNSURE && c->again > 0))
		return false;
	/* A 429 without Retry-After may last a minute. */
	return kind == RETRY_CONNECT || kind == RETRY_BUSY || kind == RETRY_UNSURE ||
	       (kind == RETRY_LIMIT && told_us > 0);
}

struct retry_step retry_decide(const struct retry_case *c)
{
	struct retry_step stop = { RETRY_STOP, 0 };
	enum retry_kind   kind = retry_kind(c->err, c->serves);

	if (c->committed || kind == RETRY_FAULT || kind == RETRY_SPENT || c->left_us <= 0)
		return stop;
	if (kind == RETRY_SIGNED)
		return (struct retry_step){ c->bare ? RETRY_STOP : RETRY_BARE, 0 };
	if (c->other)
		return (struct retry_step){ RETRY_OTHER, 0 };
	if (may_ask_same(c, kind)) {
		int64_t us = wait_us(c);

		if (us < c->left_us)
			return (struct retry_step){ RETRY_SAME, us };
	}
	return c->fallback ? (struct retry_step){ RETRY_LATER, 0 } : stop;
}

enum health_news retry_news(const struct err *e, bool committed, bool serves)
{
	switch (retry_kind(e, serves)) {
	case RETRY_CONNECT: return HEALTH_FAILED;
	case RETRY_BUSY: return committed ? HEALTH_NEITHER : HEALTH_FAILED;
	case RETRY_UNSURE: return committed ? HEALTH_NEITHER : HEALTH_UNSURE;
	case RETRY_LIMIT: return HEALTH_LIMITED;
	case RETRY_USED_UP: return HEALTH_USED_UP;
	case RETRY_KEY: return HEALTH_REFUSED;
	/* A time limit during an answer may only mean that the answer is long. */
	case RETRY_SPENT: return committed ? HEALTH_NEITHER : HEALTH_FAILED;
	case RETRY_DENIED: /* the key may be good for other calls */
	case RETRY_BROKEN:
	case RETRY_SIGNED:
	case RETRY_FAULT: break;
	}
	return HEALTH_NEITHER;
}
