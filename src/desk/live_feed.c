/* A list of feeds, under one lock. */
#include "desk/live_feed.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Taken within the lock of the live runs, never around it. */
static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head feeds;
static atomic_size_t    count; /* so that no lock is taken if nobody follows */
static bool             draining;

static void feed_task(struct task *t)
{
	struct live_feed *f = container_of(t, struct live_feed, task);

	pthread_mutex_lock(&lock);
	f->posted = false;
	pthread_mutex_unlock(&lock);
	if (f->stopping) {
		free(f->states);
		f->gone(f);
	} else {
		f->fn(f);
	}
}

static void feed_post_locked(struct live_feed *f)
{
	if (f->posted)
		return;
	f->posted = true;
	loop_post(f->loop, &f->task);
}

enum errc live_feed_start(struct live_feed *f, struct err *e)
{
	enum errc rc = ERR_OK;

	f->task.fn = feed_task;
	pthread_mutex_lock(&lock);
	if (draining)
		rc = err_set(e, ERR_DRAINING, "", "the gateway is stopping");
	else if (atomic_load(&count) >= LIMIT_LIVE_FEEDS)
		rc = err_set(e, ERR_OVERLOADED, "",
			     "too many streams of live runs are open; at most %d may be",
			     LIMIT_LIVE_FEEDS);
	if (rc == ERR_OK) {
		list_put_front(&feeds, &f->link);
		atomic_fetch_add(&count, 1);
		feed_post_locked(f); /* for the runs that go on */
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

void live_feed_stop(struct live_feed *f)
{
	pthread_mutex_lock(&lock);
	if (f->link.in)
		atomic_fetch_sub(&count, 1);
	list_take_out(&f->link);
	bool posted = f->posted;
	pthread_mutex_unlock(&lock);

	f->stopping = true;
	if (posted)
		return;
	free(f->states);
	f->gone(f);
}

/* feed_place_locked: where the run's state goes; NULL: there is no room. */
static struct live_state *feed_place_locked(struct live_feed *f, struct id id)
{
	for (size_t i = f->count; i-- > f->taken;)
		if (f->states[i].id.key == id.key && f->states[i].id.secret == id.secret)
			return &f->states[i];
	if (f->count == f->cap && f->taken > 0) {
		f->count -= f->taken;
		memmove(f->states, f->states + f->taken, f->count * sizeof *f->states);
		f->taken = 0;
	}
	if (f->count == f->cap) {
		size_t             cap = f->cap > 0 ? 2 * f->cap : 8;
		struct live_state *grown = cap > LIMIT_LIVE_STATES
						   ? NULL
						   : realloc(f->states, cap * sizeof *f->states);

		if (!grown)
			return NULL;
		f->states = grown;
		f->cap = cap;
	}
	return &f->states[f->count++];
}

static void feed_put_locked(struct live_feed *f, const struct live_state *s)
{
	if (f->lost || !(f->all || f->owner == s->owner))
		return;

	struct live_state *at = feed_place_locked(f, s->id);
	f->lost = !at;
	if (at)
		*at = *s;
	feed_post_locked(f);
}

bool live_feed_any(void)
{
	return atomic_load(&count) > 0;
}

void live_feed_tell(const struct live_state *s)
{
	pthread_mutex_lock(&lock);
	LIST_EACH (f, &feeds, struct live_feed, link)
		feed_put_locked(f, s);
	pthread_mutex_unlock(&lock);
}

/* feed_add: a run that goes on at the start. */
static void feed_add(const struct live_state *s, void *arg)
{
	pthread_mutex_lock(&lock);
	feed_put_locked(arg, s);
	pthread_mutex_unlock(&lock);
}

static enum live_feed_next feed_take_locked(struct live_feed *f, struct live_state *ret)
{
	if (f->drained)
		return LIVE_FEED_DRAINED;
	if (f->lost)
		return LIVE_FEED_LOST;
	if (f->taken == f->count) {
		f->taken = f->count = 0;
		return LIVE_FEED_NOTHING;
	}
	*ret = f->states[f->taken++];
	return LIVE_FEED_STATE;
}

enum live_feed_next live_feed_take(struct live_feed *f, struct live_state *ret)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		enum live_feed_next next = feed_take_locked(f, ret);
		pthread_mutex_unlock(&lock);

		if (next != LIVE_FEED_NOTHING || f->ready)
			return next;
		if (!f->each(f->part++, feed_add, f)) {
			f->ready = true;
			return LIVE_FEED_READY;
		}
	}
}

void live_feed_drain(void)
{
	pthread_mutex_lock(&lock);
	draining = true;
	LIST_EACH (f, &feeds, struct live_feed, link) {
		f->drained = true;
		feed_post_locked(f);
	}
	pthread_mutex_unlock(&lock);
}
