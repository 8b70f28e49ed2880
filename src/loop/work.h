/* loop/work: a few threads for what would keep an event loop too long: reading a file, a long
 * translation.  One pool serves all loops.
 *
 *   the caller's --work_submit--> QUEUED --> RUN (a worker) --> ANSWERED (inbox) --> the caller's
 *
 * A job is the pool's from work_submit to done: nobody else touches it or what run works with, also
 * when whom it was for has left (then done only frees).  There is no taking it back, but a job that
 * nobody wants any more is passed over if no worker has begun it.
 *
 * Threads: work_submit from any thread, though the job's own loop is the usual one; run on a
 * worker, with all signals blocked; done on the job's loop.  What was written before work_submit is
 * seen by run, and what run wrote is seen by done. */
#pragma once

#include "base/err.h"
#include "loop/loop.h"

#include <stdatomic.h>

struct work_pool;

/* Embedded in what it is about; zero but for the three members in the middle. */
struct work_job {
	struct task  task; /* the pool's */
	struct loop *loop; /* where done runs; lives until then */
	void (*run)(struct work_job *job);
	void (*done)(struct work_job *job); /* may free what job is in, or submit it again */
	atomic_bool      unwanted;          /* the pool's */
	struct work_job *next;              /* the pool's */
};

/* work_pool_create: starts the threads.  max_queue: jobs that may wait for one of them.
 * Errors: INTERNAL. */
enum errc work_pool_create(unsigned threads, size_t max_queue, struct work_pool **ret,
			   struct err *e) MUST_USE;
/* work_submit: jobs are begun in the order of submitting.  False: the queue is full, or the pool is
 * stopped; nothing has happened, and the job is still the caller's. */
bool work_submit(struct work_pool *p, struct work_job *job) MUST_USE;
/* work_unwant: between work_submit and done; the job may come to its done without its run. */
void work_unwant(struct work_job *job);
/* work_pool_stop: finishes what is queued or in work, and joins the threads; refuses later jobs.
 * All answers are in their loops' inboxes then.  From one thread that is none of the workers. */
void work_pool_stop(struct work_pool *p);
/* work_pool_destroy: stops, and frees; nobody may submit any more.  Jobs that are answered, but not
 * handled yet, need the pool no more. */
void work_pool_destroy(struct work_pool *p);
OWNABLE(work_pool);
