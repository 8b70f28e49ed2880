/* The watchers of all runs, in buckets, under one lock. */
#include "desk/watch.h"

#include "desk/live.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BUCKETS = 256 };

static pthread_mutex_t   lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch_run *buckets[BUCKETS];
static atomic_size_t     count; /* so that nobody's lock is taken where nobody watches */

static struct watch_run **bucket_of(struct id run)
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
	struct watch_run **bucket = bucket_of(w->run);

	w->task.fn = run_task;
	pthread_mutex_lock(&lock);
	w->prev = NULL;
	w->next = *bucket;
	if (w->next)
		w->next->prev = w;
	*bucket = w;
	w->listed = true;
	atomic_fetch_add(&count, 1);
	pthread_mutex_unlock(&lock);
}

void watch_stop(struct watch_run *w)
{
	struct watch_run **bucket = bucket_of(w->run);
	bool               posted;

	pthread_mutex_lock(&lock);
	if (w->listed) {
		if (w->prev)
			w->prev->next = w->next;
		else
			*bucket = w->next;
		if (w->next)
			w->next->prev = w->prev;
		w->listed = false;
		atomic_fetch_sub(&count, 1);
	}
	posted = w->posted;
	pthread_mutex_unlock(&lock);
	w->stopping = true;
	if (!posted)
		w->gone(w);
}

void watch_notify(struct id run)
{
	/* Who begins to watch now looks at the log afterwards, so nothing is missed. */
	if (atomic_load(&count) == 0)
		return;
	pthread_mutex_lock(&lock);
	for (struct watch_run *w = *bucket_of(run); w; w = w->next) {
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
		for (struct watch_run *w = buckets[i]; w; w = w->next) {
			if (w->posted || live_is_here(w->run))
				continue;
			w->posted = true;
			loop_post(w->loop, &w->task);
		}
	pthread_mutex_unlock(&lock);
}
