/* Usage and its cost: notes of calls for the books, reservations of budgets, sums for reports. */
#pragma once

#include "base/allowance.h"
#include "base/api_key.h"
#include "base/arena.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/str.h"
#include "msg/event.h"
#include "store/job.h"

/* A budget in which calls count: of a key or a group, as logs name it; of a value of a tag in these; of a conversation
 * or a session, whose limit, a ceiling, the store keeps. */
enum budget_whose {
	BUDGET_KEY,
	BUDGET_GROUP,
	BUDGET_EACH,
	BUDGET_GROUP_EACH,
	BUDGET_CONVERSATION,
	BUDGET_SESSION
};

enum { BUDGET_NAME = 40, BUDGET_PARTS = 6, BUDGET_NAMES = BUDGET_PARTS * BUDGET_NAME };

#define BUDGET_OF_CONVERSATION "conv:" /* and the number of its id */

struct budget_part {
	char              name[BUDGET_NAME];
	enum budget_whose whose;
	int64_t           limit_nano; /* 0: none, as in the next two */
	int64_t           limit_tokens;
	int64_t           window_ms;
	bool kept; /* the limit is the stored one, or limit_nano if that is smaller or there is none yet */
	int64_t    until_ms;   /* when it is forgotten; 0: never; -1: with its window */
	struct str tag, value; /* BUDGET_EACH, BUDGET_GROUP_EACH; borrowed */
};

/* usage_session: a hash of an owner and the name of one of its sessions; not 0. */
uint64_t usage_session(int64_t owner, struct str name);
/* usage_session_name: the name of the ceiling of an owner's session. */
void usage_session_name(int64_t owner, uint64_t session, char ret[BUDGET_NAME]);
/* usage_each_name: the name of the budget that a key or a group, as logs name it, has for a value of a tag;
 * empty: for calls without one. */
void usage_each_name(const char *id, struct str tag, struct str value, char ret[BUDGET_NAME]);
/* usage_next_name: takes the first of names with spaces between; false: there is none. */
bool usage_next_name(struct str *names, struct str *ret);

/* A call's usage.  The books have sums for each key, day, model and provider. */
struct usage_note {
	char      key[IDENTITY_ID_MAX];   /* id of the API key, as in logs; "": none */
	char      group[IDENTITY_ID_MAX]; /* its group; "": none, or with `ungrouped` not known */
	char      model[LIMIT_MODEL + 1];
	char      provider[64];
	struct id run;
	int64_t   at_ms;    /* wall */
	struct usage usage; /* sum of all attempts; neither known nor estimated: nothing was used */
	struct str
		tags; /* under which it counts (msg/usage_tag), borrowed; empty: calls have none */
	bool    priced;
	bool    ungrouped; /* its group is the one that its key is in when it is booked */
	int64_t nano;      /* cost, if priced */
	bool    reserved;  /* the call made a reservation; if it is gone, the note was booked */
	char    budgets[BUDGET_NAMES]; /* the names in its reservation */
};

/* budget_reserve: a write, before a provider is asked: the highest cost of the call is reserved from each of its
 * budgets, or from none.  One statement checks and writes, so that spent and reserved amounts together never exceed a
 * limit.
 * Errors: INSUFFICIENT_QUOTA with retry_after_ms and whose budget it is; OVERLOADED: the queue is full. */
struct budget_reserve {
	struct store_job job;
	struct id        run;
	struct str       key; /* whose usage it is */
	struct str       model;
	struct str       provider;
	struct str       tags; /* the note's, if the call gets lost */
	int64_t          now_ms;
	int64_t          nano;
	int64_t          tokens;
	int64_t          tokens_in; /* the part of `tokens` that the prompt has */
	/* The budgets, and their names with a space between.  With `more`, those of the reservation count. */
	struct budget_part parts[BUDGET_PARTS];
	size_t             part_count;
	char               names[BUDGET_NAMES];
	/* Amounts that have to be left beside nano and tokens. */
	int64_t spare_nano;
	int64_t spare_tokens;
	/* The run has a reservation, which grows by nano and tokens; refused, too, if it has none any more. */
	bool more;
	/* Nothing is asked for, and nothing refused: the ceilings among the budgets are set, as a reservation sets them. */
	bool sets;
	/* out, where it is refused: the least that is left of a budget, if that is not below 0; INT64_MAX: no limit */
	int64_t left_nano;
	int64_t left_tokens;
};

/* budget_settle: a write, for a call that is stored nowhere else: ends its reservation, and books
 * what the call has really used.  It is never refused.  If it can't be written, the engine tries
 * again with the next writes, so the submitter may ignore an error. */
struct budget_settle {
	struct store_job  job;
	struct usage_note note;
};

/* usage_read: sums of usage on some days, in the order of the columns by which they are grouped.
 *
 * A call with several values of a tag is in the row of each, and one without any is in a row of its own. */
enum usage_group { USAGE_BY_KEY = 1, USAGE_BY_MODEL = 2, USAGE_BY_DAY = 4, USAGE_BY_GROUP = 8 };
struct usage_row {
	struct str key; /* key, model and day are set if rows are grouped by them; "": no key */
	struct str model;
	struct str group; /* the group of the key when the calls were made; empty: none */
	struct str tags[LIMIT_TAG_NAMES]; /* values, by the places of by_tags; "": none */
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
	/* Names, and pairs that the calls have, all of them; p NULL after the last.  With any, only calls since there
	 * were tags are there. */
	struct str   by_tags[LIMIT_TAG_NAMES], with_tags[LIMIT_TAG_NAMES];
	size_t       skip; /* rows before the page */
	size_t       limit;
	struct arena arena; /* init'ed and finished by the caller */
	/* out */
	struct usage_row *rows;
	size_t            row_count;
	bool              has_more;
	/* The state of the ceiling with the name `session`; limit_nano 0: there is none. */
	char    session[BUDGET_NAME]; /* "": of none */
	int64_t now_ms;
	struct {
		int64_t limit_nano, spent_nano, reserved_nano, until_ms;
	} ceiling;
	/* The state of the budget of `key`, and of others by their names; empty: of none.  began_ms 0: it was never used. */
	struct usage_budget {
		char    name[BUDGET_NAME];
		int64_t began_ms;
		int64_t spent_nano, reserved_nano, spent_tokens, reserved_tokens;
	} budget, each[2];
};

/* budgets_read: what the keys and groups with a budget have used of it, those nearest to its end first.  A key that was
 * never used, is revoked or has expired is not among them. */
struct budget_row {
	char             of[API_KEY_ID_MAX]; /* key_… or grp_… */
	struct str       name;
	struct allowance allowance;
	int64_t          began_ms;
	int64_t          spent_nano, reserved_nano, spent_tokens, reserved_tokens;
};
struct budgets_read {
	struct store_job job;
	int64_t          now_ms;
	size_t           limit;
	struct arena     arena; /* init'ed and finished by the caller */
	/* out */
	struct budget_row *rows;
	size_t             row_count;
	bool               has_more;
};

/* usage_gather: sums of usage in memory, until an engine writes them.  Threads: any, except that
 * one thread alone calls usage_gather_flush and usage_gather_done. */
struct usage_gather;

/* The usage of all calls of one key, day, model and provider, with the same tags. */
struct usage_sum {
	struct usage_note note;
	int64_t           calls, estimated, unpriced;
	struct usage_sum *next;   /* the gatherer's */
	char              tags[]; /* the note's */
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
