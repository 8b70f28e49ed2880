/* What calls use and may cost: notes for the books, budgets, sums for a report. */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"

/* What a call has used, for the books: of its key, day, model and provider. */
struct usage_note {
	char         key[IDENTITY_ID_MAX]; /* as logs name it; "": none */
	char         model[LIMIT_MODEL + 1];
	char         provider[64];
	struct id    run;
	int64_t      at_ms; /* wall */
	struct usage usage; /* of all its attempts; neither known nor estimated: nothing was used */
	bool         priced;
	int64_t      nano; /* what it cost */
	bool reserved; /* by the call, and this ends it: where it is gone, that was done before */
};

/* budget_reserve: a write, before a call is asked for: what it may cost at most is taken from what its
 * key has left.  One statement sees to it that nothing spent and reserved together ever passes a limit.
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
	int64_t          tokens_in;  /* of those */
	int64_t          limit_nano; /* 0: none, as in the next two */
	int64_t          limit_tokens;
	int64_t          window_ms;
};

/* budget_settle: a write, of a call that is stored nowhere else: its reservation ends, and what it has
 * really used takes its place.  Never refused; where it can't be written it is tried again with the
 * next writes, and its failure is no news to anybody. */
struct budget_settle {
	struct store_job  job;
	struct usage_note note;
};

/* usage_read: what was used on some days, in the order of what it is grouped by. */
enum usage_group { USAGE_BY_KEY = 1, USAGE_BY_MODEL = 2, USAGE_BY_DAY = 4 };
struct usage_row {
	struct str key; /* of these, those that it is grouped by; "": without a key */
	struct str model;
	int64_t    day;
	int64_t    calls, estimated, unpriced;
	int64_t    tokens_in, tokens_out, cached, reasoning;
	int64_t    nano;
};
struct usage_read {
	struct store_job job;
	struct str       key;              /* of that one alone; p NULL: of all */
	struct str       model;            /* likewise */
	int64_t          from_day, to_day; /* the last one is in it; since 1970, UTC */
	unsigned         group;            /* enum usage_group; 0: a sum */
	size_t           skip;             /* rows in front of the page */
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct usage_row *rows;
	size_t            row_count;
	bool              has_more;
	bool              budgeted; /* the key has a budget that was drawn on: the rest is of it */
	int64_t           began_ms;
	int64_t           spent_nano, reserved_nano, spent_tokens, reserved_tokens;
};
