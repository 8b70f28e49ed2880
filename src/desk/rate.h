/* desk/rate: counts calls and tokens in windows of time, for each key, for each group of keys, and for all callers
 * together.
 *
 * A window begins with the first call in it and ends when its time is over; the next call begins
 * a new one. Tokens are first counted by an estimate and settled at the end of the call, in the
 * window in which they were counted; if this window is over by then, nothing is settled.
 *
 * This is for one process alone.  Where several share a store, desk/quota counts, and what stands here is their
 * common language.
 *
 * Pure: the caller passes the time, and nothing is read or sent. Threads: any; one lock, held
 * for about 100 ns. */
#pragma once

#include "base/allowance.h"
#include "base/base.h"

enum rate_policy {
	RATE_REQUESTS, /* calls in a window */
	RATE_TOKENS,   /* tokens in a window */
	RATE_CALLS,    /* calls at once */
	RATE_POLICY__COUNT
};
/* In the order in which their limits refuse. */
enum rate_whose { RATE_KEY, RATE_GROUP, RATE_ALL, RATE_WHOSE__COUNT };

struct rate;
struct rate_slot;

/* rate_create: makes counters for up to max_keys keys; beyond that, a key without running calls
 * is forgotten. */
struct rate *rate_create(size_t max_keys) MUST_USE;
void         rate_destroy(struct rate *r);
OWNABLE(rate);

struct rate_ask {
	int64_t                 key; /* the key's number; 0: no key, only the limits of all count */
	int64_t                 group;  /* the number of its group, below 0; 0: none */
	const struct allowance *mine;   /* the key's limits; NULL: none */
	const struct allowance *ours;   /* the group's, likewise */
	const struct allowance *all;    /* the limits of all callers together */
	int64_t                 tokens; /* the most that the call may take, an estimate */
	/* The call names no maximum: if `tokens` are more than a whole window allows, the call
	 * takes the whole window instead of being refused for ever. */
	bool    open;
	int64_t now_us; /* monotonic, above 0 */
};

/* The amounts that a call has taken from the limits; must be given back exactly once. */
struct rate_hold {
	struct rate_slot *slot[RATE_WHOSE__COUNT]; /* NULL: nothing was taken */
	/* Beginnings of the windows in which the request and the tokens were counted; 0: not
	 * counted. */
	int64_t requests_from[RATE_WHOSE__COUNT];
	int64_t tokens_from[RATE_WHOSE__COUNT];
	int64_t tokens[RATE_WHOSE__COUNT];
};

/* The state of a limit after a call. */
struct rate_left {
	int64_t limit;     /* 0: no limit */
	int64_t left;      /* -1: not known here (desk/quota) */
	int64_t window_us; /* 0: RATE_CALLS, which has no window */
	int64_t reset_us;  /* from now until the window is over */
};
struct rate_view {
	struct rate_left of[RATE_WHOSE__COUNT][RATE_POLICY__COUNT];
};

enum rate_answer {
	RATE_TAKEN,
	RATE_REFUSED, /* *why, *whose: by which limit; nothing was taken */
	RATE_NEVER,   /* likewise, and no later window has room for the call either */
	RATE_FULL,    /* no memory, or all max_keys keys have running calls */
	RATE_SHORT,   /* desk/quota's alone: the store must be asked first */
};

/* rate_take: takes what a call needs from all limits, or nothing; *view is filled either way
 * (except for RATE_FULL). */
enum rate_answer rate_take(struct rate *r, const struct rate_ask *ask, struct rate_hold *ret,
			   struct rate_view *view, enum rate_policy *why,
			   enum rate_whose *whose) MUST_USE;
/* rate_look: fills the view without taking anything. */
void rate_look(struct rate *r, const struct rate_ask *ask, struct rate_view *view);
/* rate_give: settles a call at its end. asked: a provider was asked; tokens: the provider's
 * count; -1: unknown, and the estimate stays. */
void rate_give(struct rate *r, struct rate_hold *hold, bool asked, int64_t tokens);
