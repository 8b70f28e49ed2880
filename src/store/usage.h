/* Usage and its cost: notes of calls for the books, reservations of budgets, sums for reports. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"

/* A call's usage.  The books have sums for each key, day, model and provider. */
struct usage_note {
	char         key[IDENTITY_ID_MAX]; /* id of the API key, as in logs; "": none */
	char         model[LIMIT_MODEL + 1];
	char         provider[64];
	struct id    run;
	int64_t      at_ms; /* wall */
	struct usage usage; /* sum of all attempts; neither known nor estimated: nothing was used */
	bool         priced;
	int64_t      nano;     /* cost, if priced */
	bool         reserved; /* the call made a reservation; if it is gone, the note was booked */
};

/* budget_reserve: a write, before a provider is asked: the highest cost of the call is reserved
 * from the budget of its key.  One statement checks and writes, so that spent and reserved amounts
 * together never exceed a limit.
 * Errors: INSUFFICIENT_QUOTA with retry_after_ms; OVERLOADED: the queue is full. */
struct budget_reserve {
	struct store_job job;
	struct id        run;
	struct str       key;
	struct str       model;
	struct str       provider;
	int64_t          now_ms;
	int64_t          nano;
	int64_t          tokens;
	int64_t          tokens_in;  /* the part of `tokens` that the prompt has */
	int64_t          limit_nano; /* 0: none, as in the next two */
	int64_t          limit_tokens;
	int64_t          window_ms;
};

/* budget_settle: a write, for a call that is stored nowhere else: ends its reservation, and books
 * what the call has really used.  It is never refused.  If it can't be written, the engine tries
 * again with the next writes, so the submitter may ignore an error. */
struct budget_settle {
	struct store_job  job;
	struct usage_note note;
};

/* usage_read: sums of usage on some days, in the order of the columns by which they are grouped. */
enum usage_group { USAGE_BY_KEY = 1, USAGE_BY_MODEL = 2, USAGE_BY_DAY = 4 };
struct usage_row {
	struct str key; /* key, model and day are set if rows are grouped by them; "": no key */
	struct str model;
	int64_t    day;
	int64_t    calls, estimated, unpriced;
	int64_t    tokens_in, tokens_out, cached, reasoning;
	int64_t    nano;
};
struct usage_read {
	struct store_job job;
	struct str       key;              /* usage of this key only; p NULL: of all keys */
	struct str       model;            /* usage of this model only; p NULL: of all models */
	int64_t          from_day, to_day; /* both included; days since 1970, UTC */
	unsigned         group;            /* enum usage_group; 0: a sum */
	size_t           skip;             /* rows before the page */
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct usage_row *rows;
	size_t            row_count;
	bool              has_more;
	/* The budget of `key`; budgeted: the key has one, and has used it. */
	bool    budgeted;
	int64_t began_ms;
	int64_t spent_nano, reserved_nano, spent_tokens, reserved_tokens;
};

/* usage_gather: sums of usage in memory, until an engine writes them.  Threads: any, except that
 * one thread alone calls usage_gather_flush and usage_gather_done. */
struct usage_gather;

/* The usage of all calls of one key, day, model and provider. */
struct usage_sum {
	struct usage_note note;
	int64_t           calls, estimated, unpriced;
	struct usage_sum *next; /* the gatherer's */
};

/* usage_gather_create: first(arg) is called, on any thread, when usage comes and none has waited.
 * Owned; NULL: no memory. */
struct usage_gather *usage_gather_create(void (*first)(void *arg), void *arg);
void                 usage_gather_destroy(struct usage_gather *g);

void usage_gather_add(struct usage_gather *g, const struct usage_note *note);
/* usage_gather_flush: hands each sum to put, and stops at the first result other than 0, which is
 * returned.  usage_gather_done must follow: it says whether the sums were committed. */
int  usage_gather_flush(struct usage_gather *g, int (*put)(void *arg, const struct usage_sum *sum),
			void                *arg) MUST_USE;
void usage_gather_done(struct usage_gather *g, bool written);
/* usage_gather_any: whether usage waits to be written. */
bool usage_gather_any(struct usage_gather *g);
