/* batch: jobs that are stored together: one transaction, and who fails when it can't be committed.
 *
 * A job that can't be stored for its own sake is taken out, and the others, of which nothing was kept,
 * are done again without it: such jobs are rare, and that is cheaper than a savepoint for each.  On the
 * writer's thread. */
#pragma once

#include "base/limits.h"
#include "store/sqlite/moved.h"
#include "store/sqlite/search/search.h"
#include "store/sqlite/session.h"
#include "store/store.h"

struct batch {
	/* Of all batches; borrowed. */
	struct session *session;
	struct search  *search;
	struct moved   *moved;

	struct store_job *jobs[LIMIT_STORE_BATCH];
	size_t            count; /* 0: a probe, whether the disk takes writes */
	/* What came of it. */
	bool               probe; /* it was one */
	struct store_job  *done;  /* all jobs, in the order of their ends, chained by next */
	struct store_job **done_end;
	char problem[sizeof(((struct store_stats *)0)->problem)]; /* these two of a failure */
	const char *reason;
	int64_t     commit_us;
};

/* batch_run: one transaction of all jobs, or of a probe.  Every job has its error, or none; those that
 * are still in `jobs` have shared the end of the transaction, whose SQLite code is returned. */
int batch_run(struct batch *b) MUST_USE;
