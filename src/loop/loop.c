/* One event loop: epoll, a heap of timers, an inbox, and idle work before each sleep. */
#include "loop/loop.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	EVENTS_A_TURN = 256, /* descriptors' events that one epoll_wait returns */
	/* After so many of them, the tasks of loop_later run: streams write what came in.  Otherwise
	 * the first of many would wait for all the others. */
	EVENTS_TO_LATER = 8,
	IDLE_MAX = 20,
	/* A response needs up to three passes of libmicrohttpd, and a transfer a few of libcurl.
	 * After more rounds than this, some callback always has more to do, and the descriptors
	 * must have their turn. */
	ROUNDS_A_TURN = 16,
	/* The most tasks of the inbox, and their time, in one round.  Then the descriptors have
	 * their turn, so that no work is done for clients that have left. */
	TASKS_A_ROUND = 64,
	TASKS_A_ROUND_US = 2000,
	SLEEP_MAX_US = 60 * 1000 * 1000,
	STEP_SEEN_US = 1000,       /* shorter steps are not measured */
	STEP_LOG_US = 1000 * 1000, /* shortest time between two log lines of slow steps */
};

struct loop {
	int                    epoll;
	unsigned               index;
	atomic_bool            stop;
	int64_t                now_us;      /* clock_mono_us at the start of this turn */
	int64_t                step_us;     /* when the current step began */
	int64_t                cpu_us;      /* CPU time of the thread at cpu_at_us */
	int64_t                cpu_at_us;   /* when the CPU time was read; not later than step_us */
	int64_t                logged_us;   /* when a slow step was logged last */
	struct watch           inbox_watch; /* an eventfd */
	_Atomic(struct task *) inbox; /* newest first; any thread pushes, the loop's thread takes */
	atomic_int             owed;  /* tasks that other threads will post (loop_owe) */
	struct task           *todo;  /* tasks taken from the inbox, oldest first */
	struct task          **todo_end;
	struct task           *later; /* tasks of loop_later, oldest first */
	struct task          **later_end;

	struct timer *first;  /* the earliest timer, which is the root of a pairing heap */
	size_t        timers; /* running timers */

	struct epoll_event events[EVENTS_A_TURN]; /* the turn's; data.ptr NULL: unwatched since */
	int                event_at;
	int                event_count;

	struct {
		loop_idle_fn fn;
		void        *arg;
	} idle[IDLE_MAX];
	size_t idle_count;
};

static void inbox_woken(struct watch *w, uint32_t epoll_events)
{
	uint64_t n;

	(void)epoll_events;
	/* The eventfd's count does not matter, because the inbox is a list. */
	while (read(w->fd, &n, sizeof n) < 0 && errno == EINTR) {
	}
}

enum errc loop_create(unsigned index, struct loop **ret, struct err *e)
{
	struct loop *l = calloc(1, sizeof *l);

	if (!l)
		return err_set(e, ERR_INTERNAL, "", "out of memory for an event loop");
	l->index = index;
	l->todo_end = &l->todo;
	l->later_end = &l->later;
	l->now_us = clock_mono_us();
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->inbox_watch =
		(struct watch){ .fn = inbox_woken, .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) };
	if (l->epoll < 0 || l->inbox_watch.fd < 0 || !loop_watch(l, &l->inbox_watch, EPOLLIN)) {
		loop_destroy(l);
		return err_set(e, ERR_INTERNAL, "", "no descriptors for an event loop");
	}
	*ret = l;
	return ERR_OK;
}

void loop_destroy(struct loop *l)
{
	if (!l)
		return;
	if (l->inbox_watch.fd >= 0)
		close(l->inbox_watch.fd);
	if (l->epoll >= 0)
		close(l->epoll);
	free(l);
}

int64_t loop_now_us(const struct loop *l)
{
	return l->now_us;
}

/* --- steps --- */

static void log_step(struct loop *l, int64_t took_us)
{
	struct log_line line;

	l->logged_us = l->step_us;
	log_begin(&line, LOG_WARN, "slow_step");
	log_str(&line, "message", STR("one request held an event loop, and others waited"));
	log_int(&line, "loop", l->index);
	log_ms(&line, "cpu_ms", took_us);
	log_end(&line);
}

/* The last reading of the CPU time is less than STEP_SEEN_US before the step, so the figure has
 * less than that from before the step. */
void loop_step(struct loop *l)
{
	int64_t now_us = clock_mono_us();
	int64_t took_us = now_us - l->step_us;

	l->step_us = now_us;
	if (now_us - l->cpu_at_us < STEP_SEEN_US)
		return;

	int64_t cpu_us = clock_thread_us();
	int64_t used_us = cpu_us - l->cpu_us;
	l->cpu_us = cpu_us;
	l->cpu_at_us = now_us;
	if (used_us < took_us)
		took_us = used_us;
	if (took_us < STEP_SEEN_US)
		return;
	metric_observe(METRIC_LOOP_STEP, (const char *const[METRIC_LABELS]){ "", "", "" }, took_us);
	if (took_us > LIMIT_LOOP_STEP_US && now_us - l->logged_us >= STEP_LOG_US)
		log_step(l, took_us);
}

/* --- inbox --- */

static void loop_wake(struct loop *l)
{
	uint64_t one = 1;

	while (write(l->inbox_watch.fd, &one, sizeof one) < 0 && errno == EINTR) {
	}
}

void loop_post(struct loop *l, struct task *t)
{
	struct task *head = atomic_load_explicit(&l->inbox, memory_order_relaxed);

	do {
		t->next = head;
	} while (!atomic_compare_exchange_weak_explicit(&l->inbox, &head, t, memory_order_release,
							memory_order_relaxed));
	/* The task that finds the inbox empty wakes the thread; the others need not. */
	if (!head)
		loop_wake(l);
}

void loop_later(struct loop *l, struct task *t)
{
	t->next = NULL;
	*l->later_end = t;
	l->later_end = &t->next;
}

static void take_inbox(struct loop *l)
{
	struct task *newest = atomic_exchange_explicit(&l->inbox, NULL, memory_order_acquire);
	struct task *oldest = NULL;

	if (!newest)
		return;

	struct task *last = newest;
	while (newest) {
		struct task *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	*l->todo_end = oldest;
	l->todo_end = &last->next;
}

static void run_first(struct loop *l)
{
	struct task *t = l->todo;

	l->todo = t->next;
	if (!l->todo)
		l->todo_end = &l->todo;
	t->fn(t);
	loop_step(l);
}

/* Takes the inbox and runs a limited number of tasks; the rest stays in todo.  False: there were
 * none. */
static bool run_inbox(struct loop *l)
{
	take_inbox(l);
	if (!l->todo)
		return false;

	int64_t end_us = l->step_us + TASKS_A_ROUND_US;
	for (int n = 0; l->todo && n < TASKS_A_ROUND && l->step_us < end_us; n++)
		run_first(l);
	return true;
}

/* Tasks that are added meanwhile run in the next round, so that a task may add itself again. */
static bool run_later(struct loop *l)
{
	struct task *t = l->later;

	l->later = NULL;
	l->later_end = &l->later;
	if (!t)
		return false;
	while (t) {
		struct task *next = t->next;

		t->fn(t);
		loop_step(l);
		t = next;
	}
	return true;
}

/* --- timers --- */

/* The timers form a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986).  Its links are in the
 * timers, so that a deadline needs no memory, which could be refused.  Starting a timer takes one
 * comparison, and so does stopping a timer that is far from due; the other comparisons are made
 * when the earliest timer is removed. */

static void timer_link(struct timer **at, struct timer *t)
{
	*at = t;
	if (t)
		t->link = at;
}

/* Makes one heap of two, whose roots have no siblings.  With equal times, the root of a is the
 * new root. */
static struct timer *heap_meld(struct timer *a, struct timer *b)
{
	struct timer *early = b->at_us < a->at_us ? b : a;
	struct timer *late = early == a ? b : a;

	timer_link(&late->next, early->child);
	timer_link(&early->child, late);
	return early;
}

/* Makes one heap of a list of siblings: first melds them in pairs from front to back, and then the
 * pairs from back to front. */
static struct timer *heap_of(struct timer *t)
{
	struct timer *pairs = NULL;
	struct timer *all = NULL;

	while (t) {
		struct timer *a = t;
		struct timer *b = TAKE(a->next);

		t = b ? TAKE(b->next) : NULL;
		a = b ? heap_meld(a, b) : a;
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct timer *next = TAKE(pairs->next);

		all = all ? heap_meld(all, pairs) : pairs;
		pairs = next;
	}
	return all;
}

void timer_stop(struct loop *l, struct timer *t)
{
	if (!timer_running(t))
		return;

	struct timer *under = heap_of(TAKE(t->child));
	timer_link(t->link, TAKE(t->next));
	t->link = NULL;
	l->timers--;
	if (under)
		timer_link(&l->first, l->first ? heap_meld(l->first, under) : under);
}

void timer_start(struct loop *l, struct timer *t, int64_t after_us)
{
	timer_stop(l, t);
	t->at_us = l->now_us + after_us;
	timer_link(&l->first, l->first ? heap_meld(l->first, t) : t);
	l->timers++;
}

static bool run_timers(struct loop *l)
{
	bool any = false;

	/* At most as many timers as are running now: a timer that starts itself again without a
	 * delay must not keep the loop here. */
	for (size_t n = l->timers; n > 0 && l->first && l->first->at_us <= l->now_us; n--) {
		struct timer *t = l->first;

		timer_stop(l, t);
		t->fn(t);
		loop_step(l);
		any = true;
	}
	return any;
}

/* --- descriptors --- */

static bool watch_ctl(struct loop *l, int op, struct watch *w, uint32_t epoll_events)
{
	struct epoll_event ev = { .events = epoll_events, .data.ptr = w };

	return epoll_ctl(l->epoll, op, w->fd, &ev) == 0;
}

bool loop_watch(struct loop *l, struct watch *w, uint32_t epoll_events)
{
	return watch_ctl(l, EPOLL_CTL_ADD, w, epoll_events);
}

bool loop_rewatch(struct loop *l, struct watch *w, uint32_t epoll_events)
{
	return watch_ctl(l, EPOLL_CTL_MOD, w, epoll_events);
}

void loop_unwatch(struct loop *l, struct watch *w)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	for (int i = l->event_at; i < l->event_count; i++)
		if (l->events[i].data.ptr == w)
			l->events[i].data.ptr = NULL;
}

bool loop_add_idle(struct loop *l, loop_idle_fn fn, void *arg)
{
	if (l->idle_count == IDLE_MAX)
		return false;
	l->idle[l->idle_count].fn = fn;
	l->idle[l->idle_count].arg = arg;
	l->idle_count++;
	return true;
}

/* --- the turn --- */

/* Does everything that needs no events of descriptors; returns how long the loop may sleep. */
static int64_t run_rounds(struct loop *l)
{
	int64_t sleep_us = SLEEP_MAX_US;
	bool    more = true;

	for (int round = 0; more && round < ROUNDS_A_TURN; round++) {
		sleep_us = SLEEP_MAX_US;
		more = run_inbox(l);
		more |= run_timers(l);
		for (size_t i = 0; i < l->idle_count; i++)
			if (l->idle[i].fn(l->idle[i].arg, &sleep_us)) {
				more = true;
				loop_step(l);
			}
		more |= run_later(l);
		/* Tasks are left, but the descriptors come first (TASKS_A_ROUND). */
		if (l->todo)
			return 0;
	}
	if (more || l->later)
		return 0;
	if (l->first && l->first->at_us - l->now_us < sleep_us)
		sleep_us = l->first->at_us - l->now_us;
	return sleep_us > 0 ? sleep_us : 0;
}

static void wait_and_dispatch(struct loop *l, int64_t sleep_us)
{
	/* Rounded up to milliseconds: otherwise a timer due in 0.3 ms would make the loop spin. */
	int n = epoll_wait(l->epoll, l->events, EVENTS_A_TURN, (int)((sleep_us + 999) / 1000));

	l->now_us = clock_mono_us();
	/* The thread used no CPU while it slept, so the last reading stays valid: it moves on by
	 * the time of the sleep. */
	l->cpu_at_us += l->now_us - l->step_us;
	l->step_us = l->now_us;
	l->event_count = n > 0 ? n : 0;
	for (l->event_at = 0; l->event_at < l->event_count;) {
		struct epoll_event *ev = &l->events[l->event_at++];
		struct watch       *w = ev->data.ptr;

		if (w) {
			w->fn(w, ev->events);
			loop_step(l);
		}
		if (l->event_at % EVENTS_TO_LATER == 0)
			(void)run_later(l);
	}
	l->event_count = 0;
}

void loop_run(struct loop *l)
{
	l->now_us = clock_mono_us();
	l->step_us = l->cpu_at_us = l->now_us;
	l->cpu_us = clock_thread_us();
	while (!atomic_load_explicit(&l->stop, memory_order_relaxed))
		wait_and_dispatch(l, run_rounds(l));
	/* Tasks that were posted before the stop still run. */
	take_inbox(l);
	while (l->todo)
		run_first(l);
}

void loop_owe(struct loop *l, int n)
{
	atomic_fetch_add_explicit(&l->owed, n, memory_order_relaxed);
}

size_t loop_owed(const struct loop *l)
{
	return (size_t)atomic_load_explicit(&l->owed, memory_order_relaxed);
}

void loop_stop(struct loop *l)
{
	atomic_store(&l->stop, true);
	loop_wake(l);
}
