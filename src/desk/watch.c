/* The watchers of all runs, in buckets, under one lock. */
#include "desk/watch.h"

#include "desk/live.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BUCKETS = 256 };

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head buckets[BUCKETS];
static atomic_size_t    count;  /* so that no lock is taken if nobody watches */
static size_t           looked; /* the bucket where watch_elsewhere goes on */

static struct list_head *watch_bucket_of(struct id run)
{
	return &buckets[run.secret % BUCKETS];
}

static void run_task(struct task *t)
{
	struct watch_run *w = container_of(t, struct watch_run, task);

	pthread_mutex_lock(&lock);
	w->posted = false;
	pthread_mutex_unlock(&lock);
	if (w->stopping)
		w->gone(w);
	else
		w->fn(w);
}

void watch_start(struct watch_run *w)
{
	w->task.fn = run_task;
	pthread_mutex_lock(&lock);
	list_put_front(watch_bucket_of(w->run), &w->link);
	atomic_fetch_add(&count, 1);
	pthread_mutex_unlock(&lock);
}

void watch_stop(struct watch_run *w)
{
	bool posted;

	pthread_mutex_lock(&lock);
	if (w->link.in)
		atomic_fetch_sub(&count, 1);
	list_take_out(&w->link);
	posted = w->posted;
	pthread_mutex_unlock(&lock);
	w->stopping = true;
	if (!posted)
		w->gone(w);
}

void watch_notify(struct id run)
{
	/* A new watcher reads the log after this, so it misses nothing. */
	if (atomic_load(&count) == 0)
		return;
	pthread_mutex_lock(&lock);
	LIST_EACH (w, watch_bucket_of(run), struct watch_run, link) {
		if (w->posted || w->run.key != run.key || w->run.secret != run.secret)
			continue;
		w->posted = true;
		loop_post(w->loop, &w->task);
	}
	pthread_mutex_unlock(&lock);
}

void watch_look_again(void)
{
	if (atomic_load(&count) == 0)
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < BUCKETS; i++)
		LIST_EACH (w, &buckets[i], struct watch_run, link) {
			if (w->posted || live_is_here(w->run))
				continue;
			w->posted = true;
			loop_post(w->loop, &w->task);
		}
	pthread_mutex_unlock(&lock);
}

/* watch_put: adds a run of a bucket whose runs begin at `from`, unless it is there already. */
static size_t watch_put(struct id *ret, size_t from, size_t n, struct id run)
{
	for (size_t i = from; i < n; i++)
		if (ret[i].key == run.key && ret[i].secret == run.secret)
			return n;
	ret[n] = run;
	return n + 1;
}

size_t watch_elsewhere(struct id *ret, size_t max)
{
	size_t n = 0;

	if (atomic_load(&count) == 0)
		return 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < BUCKETS && n < max; i++) {
		size_t from = n;

		LIST_EACH (w, &buckets[looked], struct watch_run, link)
			if (n < max && !live_is_here(w->run))
				n = watch_put(ret, from, n, w->run);
		looked = (looked + 1) % BUCKETS;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

void watch_mark(struct id run, uint64_t mark)
{
	pthread_mutex_lock(&lock);
	LIST_EACH (w, watch_bucket_of(run), struct watch_run, link) {
		if (w->mark == mark || w->run.key != run.key || w->run.secret != run.secret)
			continue;
		w->mark = mark;
		if (!w->posted)
			loop_post(w->loop, &w->task);
		w->posted = true;
	}
	pthread_mutex_unlock(&lock);
}
