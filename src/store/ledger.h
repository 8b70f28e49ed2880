/* store/ledger: the ledger of all calls of models, stored or not, and of those that were refused.
 *
 *   run/ledger, app --call_row--> ledger (memory) --once a second--> an engine: blocks, hours
 *                                                                        |
 *                                          runs_read, run_read <---------+--> hours_read
 *
 * A row says when a call was made, by which key, for which model and provider, how it ended, what it
 * used and how long it took; it has nothing of what was said.  Rows of one second that began in the same
 * minute are one block in the store, so that a row costs a copy and not an insertion; a page unpacks
 * blocks.  The sums of the hours count every call, also those without a row.  The whole mechanism:
 * docs/internals/ledger.md */
#pragma once

#include "base/arena.h"
#include "base/id.h"
#include "base/identity.h"
#include "base/limits.h"
#include "base/str.h"
#include "msg/call_cache.h"
#include "msg/event.h"
#include "store/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* --- a row --- */

/* How a call has ended.  Stored as numbers, which stay. */
enum call_outcome {
	CALL_COMPLETED,
	CALL_FAILED,      /* after a provider was asked */
	CALL_CANCELLED,   /* somebody asked for it */
	CALL_CLIENT_LEFT, /* and the call ended for that */
	CALL_REFUSED,     /* no provider was asked */
	CALL_OUTCOME__COUNT
};
const char *call_outcome_name(enum call_outcome o);
/* call_outcome_find: -1: there is none of this name. */
int call_outcome_find(struct str name);

/* The owner of calls without a valid key. */
enum { CALL_OWNER_NOBODY = -1 };

/* A call that has ended; spans are borrowed.  Empty: not known, or none. */
struct call_row {
	struct id         id; /* the run's, or made for a call that never became one */
	int64_t           owner;
	int64_t           created_ms;  /* wall */
	int64_t           duration_us; /* from the request's arrival */
	int64_t           first_us;    /* to the first token, likewise; 0: none came */
	struct str        key;         /* the id in logs */
	struct str        group;       /* the group of the key, likewise; empty: none */
	struct str        model;       /* the name as asked */
	struct str        label;       /* the configured model, for sums */
	struct str        provider;
	unsigned          provider_key; /* the place of its key, from 1; 0: it has one */
	struct str        family;
	struct str        error;         /* wire code */
	struct str        finish_reason; /* escaped, as events have it */
	enum call_outcome outcome;
	enum run_status   status;
	int               http; /* the answer's status; 0: there was no answer */
	bool              stored;
	bool              stream;
	bool              costs; /* cost_nano is known */
	int64_t           cost_nano;
	int64_t           attempts;
	struct usage      usage;
	int64_t           weight; /* the calls that the row stands for; set by the ledger */
	enum call_cache   cache;
	struct id         cached_from; /* the run whose answer was given again; none: of no other */
};

/* --- durations: a histogram on a logarithmic scale, whose values are within 6.25 % --- */

enum { LEDGER_BUCKETS = 208, LEDGER_HISTOGRAM_MOST = LEDGER_BUCKETS * 7 };

struct ledger_histogram {
	uint32_t counts[LEDGER_BUCKETS];
};

void ledger_histogram_add(struct ledger_histogram *h, int64_t us);
/* ledger_histogram_put: appends the counts to out, packed.  False: out is full.
 * ledger_histogram_take: adds packed counts to h.  False: they make no sense, and h may have a part. */
void ledger_histogram_merge(struct ledger_histogram *to, const struct ledger_histogram *from);
bool ledger_histogram_put(const struct ledger_histogram *h, struct buf *out) MUST_USE;
bool ledger_histogram_take(struct ledger_histogram *h, struct str packed) MUST_USE;
/* ledger_histogram_part: the duration (microseconds) that `percent` of the calls did not exceed; -1: none counts. */
int64_t ledger_histogram_part(const struct ledger_histogram *h, unsigned percent);
/* ledger_histogram_parts: the same for several percentages, which go up, in one pass. */
void ledger_histogram_parts(const struct ledger_histogram *h, size_t n, const unsigned percents[],
			    int64_t *const rets[]);

/* --- hours --- */

/* By which names calls are counted.  Stored as numbers, which stay. */
enum call_hours_by {
	CALLS_BY_NOTHING, /* all together */
	CALLS_BY_KEY,
	CALLS_BY_MODEL,
	CALLS_BY_PROVIDER,
	CALLS_BY_EACH, /* by all three; never asked for */
};

/* Counts of an hour, by key, configured model and provider. */
struct ledger_sums {
	int64_t calls, outcomes[CALL_OUTCOME__COUNT];
	int64_t tokens_in, tokens_out, nano;
};

struct ledger_hour {
	int64_t                 hour; /* hours since 1970 */
	enum call_hours_by      by;   /* the names that are not of it are empty */
	char                    key[IDENTITY_ID_MAX];
	char                    model[LIMIT_MODEL + 1];
	char                    provider[64];
	struct ledger_sums      sums;
	struct ledger_histogram durations, firsts;
	struct ledger_hour     *next;  /* the ledger's, as the next ones */
	uint32_t                block; /* the last block that has its names, */
	uint32_t                place; /* and their place there */
	int64_t                 bits;  /* the names' (store/ledger_block.h) */
};

void ledger_sums_add(struct ledger_sums *to, const struct ledger_sums *from);
/* ledger_hour_name: the name by which the calls are counted, of those that are not counted by each. */
const char *ledger_hour_name(const struct ledger_hour *h);

/* The key, model and provider of calls for whose own names there was no room. */
#define LEDGER_OTHERS "(others)"

/* --- the ledger in memory --- */

/* Threads: any, except that one thread alone calls ledger_flush and ledger_done. */
struct ledger;

/* ledger_create: of each kind (good calls, failed ones, refused ones) at most `rate` calls a second have a
 * row each; of more, a sample has rows with weights.  first(arg) is called, on any thread, when a call comes
 * and none has waited.  Owned; NULL: no memory. */
struct ledger *ledger_create(int64_t rate, void (*first)(void *arg), void *arg);
void           ledger_destroy(struct ledger *l); /* NULL is fine */

/* ledger_add: notes a call, and may change its row; cheap.  If too many wait, the row is dropped and counted (metric). */
void ledger_add(struct ledger *l, struct call_row *c);
/* ledger_any: whether calls wait to be written. */
bool ledger_any(struct ledger *l);

/* A block: rows of calls that were begun in one minute, packed. */
struct ledger_block {
	int64_t    high, low; /* keys of the newest and of the oldest call */
	int64_t    rows;
	int64_t    bits; /* ledger_bit (store/ledger_block.h) */
	struct str data;
};

/* Where an engine puts what was gathered; a result other than 0 ends the flush.  Hours come by each of their names, and
 * once more for each look at many of them: by key, by model, by provider and by nothing. */
struct ledger_sink {
	int (*block)(void *arg, const struct ledger_block *b);
	int (*hour)(void *arg, const struct ledger_hour *h);
	void *arg;
};

/* ledger_flush: hands everything to the sink; what a flush hands over stays until ledger_done(true), and
 * comes again in the next flush after ledger_done(false).  *ret_seq: the number of what was handed over, the same
 * for each try. */
int  ledger_flush(struct ledger *l, const struct ledger_sink *sink, uint64_t *ret_seq) MUST_USE;
void ledger_done(struct ledger *l, bool written);

/* --- hours, read --- */

/* A name by which hours are counted, with the sums of the hour that is being read. */
struct call_group;

/* The calls of an hour; durations in microseconds, -1: there is none. */
struct call_hours_row {
	int64_t                  hour;
	const struct call_group *group; /* NULL: all together */
	struct ledger_sums       sums;
	int64_t                  p50_us, p95_us, p99_us;
	int64_t                  first_p50_us, first_p95_us;
};

/* call_hours_read: sums of hours, in the order of their times. */
struct call_hours_read {
	struct store_job   job;
	int64_t            from, to; /* hours since 1970; to: the first one that is not read */
	enum call_hours_by by;
	bool               names;                /* with the names of keys */
	struct str         key, model, provider; /* only these; p NULL: any */
	struct arena       arena;
	/* out */
	struct call_hours_row *rows;
	size_t                 row_count;
	struct call_hours_row  total;
};
/* call_group_name, call_group_key: the name; the key's name, p NULL: none is known. */
struct str call_group_name(const struct call_group *g);
struct str call_group_key(const struct call_group *g);
