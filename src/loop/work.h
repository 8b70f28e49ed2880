/* loop/work: a pool of threads for work that would hold an event loop too long, such as reading a
 * file or a long translation.  One pool serves all loops.
 *
 *   the caller's --work_submit--> QUEUED --> RUN (a worker) --> ANSWERED (inbox) --> the caller's
 *
 * From work_submit to done, the pool owns the job, and nobody else may touch the job or the data of
 * run, even if the client has left (then done only frees).  A job can't be taken back, but an
 * unwanted job (work_unwant) is passed over if no worker has begun it, and run may end early
 * (work_now_is_unwanted).
 *
 * Threads: work_submit on any thread, usually the job's own loop; run on a worker, with all signals
 * blocked; done on the job's loop.  run sees what was written before work_submit, and done sees
 * what run has written. */
#pragma once

#include "base/base.h"
#include "base/err.h"
#include "loop/loop.h"

#include <stdatomic.h>
#include <stdbool.h>

struct work_pool;

/* Embedded in the object that the job is about.  The submitter sets loop, run and done; the rest is
 * zero. */
struct work_job {
	struct task  task; /* the pool's */
	struct loop *loop; /* borrowed until done; done runs on it */
	void (*run)(struct work_job *job);
	void (*done)(struct work_job *job); /* may free the job, or submit it again */
	atomic_bool      unwanted;          /* the pool's */
	struct work_job *next;              /* the pool's */
};

/* work_pool_create: starts the threads.  max_queue: jobs that may wait for one of them.
 * Errors: INTERNAL. */
enum errc work_pool_create(unsigned threads, size_t max_queue, struct work_pool **ret,
			   struct err *e) MUST_USE;
/* work_submit: queues a job; workers begin jobs in the order of submission.  False: the queue is
 * full, or the pool is stopped; nothing has happened, and the caller still owns the job. */
bool work_submit(struct work_pool *p, struct work_job *job) MUST_USE;
/* work_unwant: the result is not wanted any more, so done may come without run.  After done, the
 * call has no effect. */
void work_unwant(struct work_job *job);
/* work_pool_stop: refuses new jobs, finishes all queued and running ones, and joins the threads.
 * Then all results are in the inboxes of their loops.  From one thread that is no worker. */
void work_pool_stop(struct work_pool *p);
/* work_pool_destroy: stops and frees the pool; nobody may submit any more.  Jobs whose done has not
 * run yet do not need the pool. */
void work_pool_destroy(struct work_pool *p);
OWNABLE(work_pool);

/* --- work_now: whether anybody waits for what this thread does, so that long waits can end early.
 *
 * Threads: each has its own. */

/* work_now_begin: from now on, the thread works for a job with this mark, borrowed; NULL: for none. */
void work_now_begin(const atomic_bool *unwanted);
/* work_now_is_unwanted: the result of the thread's job is not wanted any more; false where it has none. */
bool work_now_is_unwanted(void);
