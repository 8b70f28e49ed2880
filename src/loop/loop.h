/* loop: one event loop on one thread: epoll, timers, an inbox for other threads, and libcurl's
 * multi handles.  Knows nothing of HTTP.
 *
 * Threads: loop_post, loop_owe and loop_stop from any thread, everything else on the loop's own. */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct loop;

/* loop_create: an owned loop, not running yet. */
enum errc loop_create(unsigned index, struct loop **ret, struct err *e) MUST_USE;
void      loop_destroy(struct loop *l);
OWNABLE(loop);
/* loop_run: serves until loop_stop; call it on the loop's thread. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* loop_now_us: monotonic time at the start of this turn (one clock call a turn). */
int64_t loop_now_us(const struct loop *l);

/* --- steps --- */

/* A step is one callback: of a watch, a task, a timer, or of the work before a sleep.  Who serves
 * several requests in one callback says where the next one begins, so that each has steps of its own.
 *
 * The loop measures how long each step holds its thread: parley_loop_step_seconds has those of 1 ms
 * and more, the log those above LIMIT_LOOP_STEP_US, at most one line a second.  The end of a step is
 * one reading of the monotonic clock, which is no system call.  What the thread used of its CPU is
 * asked of the kernel only behind a step of 1 ms or more, and else once in STEP_SEEN_US at the most,
 * for something to compare with; so a step's figure is its CPU time or up to 1 ms more, never more than
 * what passed on the clock, and a machine with other load does not change it. */
void loop_step(struct loop *l);

/* --- inbox --- */

/* A task is embedded in what it is about (owned by the poster until fn runs). */
struct task {
	struct task *next; /* the inbox's */
	void (*fn)(struct task *t);
};
/* loop_post: t->fn(t) runs on the loop's thread soon, in the order of posting. */
void loop_post(struct loop *l, struct task *t);
/* loop_owe: n tasks more (or fewer) will be posted by threads that work for this loop; from any
 * thread.  loop_owed: how many are still to come. */
void   loop_owe(struct loop *l, int n);
size_t loop_owed(const struct loop *l);
/* loop_later: the same from the loop's own thread, in this turn or the next, without a wake-up. */
void loop_later(struct loop *l, struct task *t);

/* --- timers --- */

/* Embedded, zero-initialised before first use; fn may start it again or free what it is in. */
struct timer {
	void (*fn)(struct timer *t);
	int64_t        at_us;
	struct timer  *child; /* the loop's, like what follows: the first of those that are later */
	struct timer  *next;  /* sibling */
	struct timer **link;  /* what points at this one; NULL: not running */
};
/* timer_start: fires once, after_us from now; a running timer is moved. */
void               timer_start(struct loop *l, struct timer *t, int64_t after_us);
void               timer_stop(struct loop *l, struct timer *t); /* also fine when not running */
static inline bool timer_running(const struct timer *t)
{
	return t->link != NULL;
}

/* --- descriptors --- */

/* Embedded; must stay at its address while watched. */
struct watch {
	void (*fn)(struct watch *w, uint32_t epoll_events);
	int fd;
};
bool loop_watch(struct loop *l, struct watch *w, uint32_t epoll_events) MUST_USE;
bool loop_rewatch(struct loop *l, struct watch *w, uint32_t epoll_events) MUST_USE;
/* loop_unwatch: no fn after this, also not for events already read in this turn. */
void loop_unwatch(struct loop *l, struct watch *w);

/* --- work between I/O and sleep --- */

/* Called before each sleep (bounded rounds): does pending work; returns true when it did some and
 * wants another round; lowers *timeout_us to when it next needs the thread.  At most 20 of them. */
typedef bool (*loop_idle_fn)(void *arg, int64_t *timeout_us);
bool loop_add_idle(struct loop *l, loop_idle_fn fn, void *arg) MUST_USE;
