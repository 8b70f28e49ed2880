/* loop: an event loop on one thread, with epoll, timers, an inbox for other threads, and work
 * before each sleep.  It knows nothing of HTTP.
 *
 * Threads: any thread may call loop_post, loop_owe and loop_stop; everything else belongs to the
 * loop's own thread. */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct loop;

/* loop_create: *ret is owned, and not running yet.  index: its number in log lines.  Errors:
 * INTERNAL (memory, descriptors). */
enum errc loop_create(unsigned index, struct loop **ret, struct err *e) MUST_USE;
void      loop_destroy(struct loop *l);
OWNABLE(loop);
/* loop_run: runs until loop_stop, on the calling thread, which is then the loop's. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* loop_now_us: monotonic time at the start of this turn (one clock call a turn). */
int64_t loop_now_us(const struct loop *l);

/* --- steps --- */

/* A step is one callback of a watch, a task, a timer, or the work before a sleep.  A callback that
 * serves several requests calls loop_step before each further one, so that each request has steps
 * of its own.
 *
 * The loop measures how long each step holds the thread.  The metric parley_loop_step_seconds has
 * steps of 1 ms and more; the log has steps above LIMIT_LOOP_STEP_US, at most one line a second.
 *
 * At the end of a step, the monotonic clock is read, which is no system call.  The kernel is asked
 * for the thread's CPU time only after a step of 1 ms or more, and otherwise at most once a
 * millisecond, to have a value to compare with.  So the figure of a step is its CPU time or up to 1
 * ms more, but never more than the time that has passed; other load on the machine does not change
 * it. */
void loop_step(struct loop *l);

/* --- inbox --- */

/* A task is embedded in the object that it is about.  The poster must keep it until fn runs. */
struct task {
	struct task *next; /* the loop's */
	void (*fn)(struct task *t);
};
/* loop_post: t->fn(t) will run on the loop's thread; tasks run in the order of posting. */
void loop_post(struct loop *l, struct task *t);
/* loop_owe: announces n more tasks (n < 0: fewer) that threads which work for this loop will post.
 * loop_owed: how many are still to come. */
void   loop_owe(struct loop *l, int n);
size_t loop_owed(const struct loop *l);
/* loop_later: loop_post for the loop's own thread, without a wake-up: fn runs in this turn or the
 * next one. */
void loop_later(struct loop *l, struct task *t);

/* --- timers --- */

/* Embedded, and all zero before the first use.  fn may start the timer again, or free the object
 * around it. */
struct timer {
	void (*fn)(struct timer *t);
	int64_t        at_us; /* when fn runs (loop_now_us) */
	struct timer  *child; /* the loop's, as the next two: first of the timers below this one */
	struct timer  *next;  /* next sibling */
	struct timer **link;  /* the pointer to this timer; NULL: not running */
};
/* timer_start: fn runs once, after_us after the start of this turn.  A running timer is moved. */
void               timer_start(struct loop *l, struct timer *t, int64_t after_us);
void               timer_stop(struct loop *l, struct timer *t); /* need not be running */
static inline bool timer_running(const struct timer *t)
{
	return t->link != NULL;
}

/* --- descriptors --- */

/* Embedded; must stay at its address while the loop watches it. */
struct watch {
	void (*fn)(struct watch *w, uint32_t epoll_events);
	int fd;
};
bool loop_watch(struct loop *l, struct watch *w, uint32_t epoll_events) MUST_USE;
bool loop_rewatch(struct loop *l, struct watch *w, uint32_t epoll_events) MUST_USE;
/* loop_unwatch: fn is not called any more, not even for events of this turn. */
void loop_unwatch(struct loop *l, struct watch *w);

/* --- work between I/O and sleep --- */

/* Called before each sleep, in a limited number of rounds: does pending work.  True: it did some,
 * and wants another round.  It may lower *timeout_us, the time until the loop must wake up.  False
 * of loop_add_idle: there are 20 already. */
typedef bool (*loop_idle_fn)(void *arg, int64_t *timeout_us);
bool loop_add_idle(struct loop *l, loop_idle_fn fn, void *arg) MUST_USE;
