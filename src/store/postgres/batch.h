/* batch: jobs that share a transaction, with one statement for all of a kind.
 *
 * Two jobs about one thing never share a batch, because UPDATE … FROM silently applies one of them.  A job
 * whose own data the server refuses fails the whole transaction; then halves of the batch are tried, until
 * that job is alone. */
#pragma once

#include "base/limits.h"
#include "store/postgres/work.h"

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
