/* thread: the engine's threads, named, with all signals left to the main thread. */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <pthread.h>

/* thread_start: fn(arg) on a new thread, to be joined.  name: at most 15 bytes. */
enum errc thread_start(pthread_t *ret, const char *name, void *(*fn)(void *), void *arg,
		       struct err *e) MUST_USE;
/* thread_cond_init: a condition whose timed wait counts monotonic time. */
void thread_cond_init(pthread_cond_t *c);
/* thread_wait_ms: waits with m held, at most so long. */
void thread_wait_ms(pthread_cond_t *c, pthread_mutex_t *m, int64_t ms);
