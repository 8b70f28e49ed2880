/* thread: starts the engine's threads, and waits with a limit.  The threads have names, and block
 * all signals, which are left to the main thread. */
#pragma once

#include "base/base.h"
#include "base/err.h"
#include "store/store.h"

#include <pthread.h>

/* thread_start: runs fn(arg) on a new thread, which the caller must join.  name: at most 15 bytes.
 * Errors: STORAGE. */
enum errc thread_start(pthread_t *ret, const char *name, void *(*fn)(void *), void *arg,
		       struct err *e) MUST_USE;
/* thread_cond_init: a condition whose timed wait counts monotonic time. */
void thread_cond_init(pthread_cond_t *c);
/* thread_wait_ms: waits for c at most ms milliseconds, with m held; may return early. */
void thread_wait_ms(pthread_cond_t *c, pthread_mutex_t *m, int64_t ms);

/* answer_post: returns finished jobs to the loops that submitted them.  Calls `done` of each job in a list chained by next, on the job's own loop, in the
 * list's order, and with one wake-up for each loop.  The list is not valid afterwards. */
void answer_post(struct store_job *list);
