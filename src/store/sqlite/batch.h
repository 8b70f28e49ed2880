/* batch: the jobs of one transaction of the writer, and their errors if it can't be committed.
 *
 * A job that can't be stored because of its own data is removed from the batch.  The transaction is
 * rolled back, and the other jobs run again: such jobs are rare, and repeating the others is
 * cheaper than a savepoint for each job.  Everything here runs on the writer's thread. */
#pragma once

#include "base/limits.h"
#include "store/sqlite/moved.h"
#include "store/sqlite/search/search.h"
#include "store/sqlite/session.h"
#include "store/store.h"

struct batch {
	/* The same for all batches; borrowed. */
	struct session *session;
	struct search  *search;
	struct moved   *moved;

	struct store_job *jobs[LIMIT_STORE_BATCH];
	size_t            count; /* 0: the batch is a probe of whether the disk accepts writes */
	/* Results of batch_run. */
	bool               probe; /* the batch was a probe */
	struct store_job  *done;  /* all jobs in the order of their ends, chained by next */
	struct store_job **done_end;
	/* Only of a failed transaction: for the operator; for anybody (static). */
	char        problem[sizeof(((struct store_stats *)0)->problem)];
	const char *reason;
	int64_t     commit_us; /* duration of the commit */
};

/* batch_run: runs all jobs, or a probe, as one transaction, and returns the SQLite code of its end.
 * job->err of each job says how the job ended; the jobs that remain in `jobs` ended with the
 * transaction. */
int batch_run(struct batch *b) MUST_USE;
