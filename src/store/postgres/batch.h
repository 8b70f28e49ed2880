/* batch: jobs that share a transaction, with one statement for all of a kind.
 *
 * Two jobs about one thing never share a batch, because UPDATE … FROM silently applies one of them.  A job
 * whose own data the server refuses fails the whole transaction; then halves of the batch are tried, until
 * that job is alone. */
#pragma once

#include "base/limits.h"
#include "store/postgres/work.h"
#include "store/usage.h"

enum { BATCH_THINGS = 1024 };

struct batch {
	struct batch     *next; /* halves that wait */
	struct store_job *jobs[LIMIT_STORE_BATCH];
	size_t            count;
	size_t            bytes;
	int64_t           things[BATCH_THINGS]; /* subjects of its jobs; 0: free */
	size_t            thing_count;
};

/* batch_add: false: the job must wait for a later batch. */
bool batch_add(struct batch *b, struct store_job *job) MUST_USE;
/* batch_step: a step of the work on b. */
enum work_next batch_step(struct work *w, struct batch *b);

/* gathered: what is done in groups: for each such kind of job, the statements with which a whole group of
 * jobs is done, and what their rows say about each job. */
struct group {
	struct store_job *jobs[128];
	size_t            count;
	size_t            at; /* number of its first result */
};

struct gathered {
	/* things: calls add with each thing that the job is about, and returns the bytes that it sends. */
	size_t (*things)(struct store_job *job, void (*add)(void *arg, int64_t thing), void *arg);
	/* check: refuses a job for its own data, or because its time is over; NULL: all are good. */
	void (*check)(const struct postgres *db, struct store_job *job);
	/* ask: asks the statements; returns their number.  NULL: none. */
	size_t (*ask)(struct work *w, const struct group *g);
	/* note: the settlement of a job, or NULL.  Those of all kinds are one statement, because two would lock budgets
	 * in an order of their own, and two gateways wait for each other.  NULL: there are none. */
	const struct usage_note *(*note)(const struct store_job *job);
	/* judge: sets the errors of the jobs; true: some have changed no row, and `why` is to be asked. */
	bool (*judge)(struct work *w, const struct group *g);
	void (*why)(struct work *w, const struct group *g);
	void (*explain)(struct work *w, const struct group *g);
};

extern const struct gathered gathered_turn_begin, gathered_turn_end, gathered_seq_reserve,
	gathered_events_append, gathered_answer_keep, gathered_claim_take, gathered_budget_settle,
	gathered_share_take;

/* group_has: whether the first column of the n-th result has this key. */
bool group_has(const struct work *w, size_t n, int64_t key);
