/* Connections of workers. */
#include "store/postgres/contents.h"

#include "base/clock.h"
#include "loop/work.h"
#include "store/common/thread.h"
#include "store/postgres/link.h"

#include <stdlib.h>

enum {
	ASK_US = 60 * 1000 * 1000,
	/* So long a row is waited for, such as that of a content which another upload writes. */
	LOCK_MS = 8000,
	DEADLOCKS_MOST = 5,
	MOST = 2,                    /* connections (docs/postgres.md) */
	WAIT_US = 300 * 1000 * 1000, /* for one of them: they may be with large contents */
	LOOK_MS = 500,               /* between two looks whether anybody wants the work still */
};

struct lend {
	const struct link_target *target; /* borrowed */
	pthread_mutex_t           lock;
	pthread_cond_t            given;
	struct link              *idle[MOST]; /* owned; the first idle_count */
	unsigned                  idle_count;
	unsigned                  out;     /* connections of callers */
	unsigned                  waiting; /* callers without one */
};

static void lend_drop(struct link *l)
{
	if (l)
		link_finish(l);
	free(l);
}

struct lend *lend_create(const struct link_target *target)
{
	struct lend *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->target = target;
	pthread_mutex_init(&d->lock, NULL);
	thread_cond_init(&d->given);
	return d;
}

void lend_destroy(struct lend *d)
{
	if (!d)
		return;
	while (d->idle_count > 0)
		lend_drop(d->idle[--d->idle_count]);
	pthread_cond_destroy(&d->given);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* lend_wait: with the lock held; false: none came back in time, or nobody wants the work any more. */
static bool lend_wait(struct lend *d)
{
	int64_t until_us = clock_mono_us() + WAIT_US;

	d->waiting++;
	while (d->out == MOST && clock_mono_us() < until_us && !work_now_is_unwanted())
		thread_wait_ms(&d->given, &d->lock, LOOK_MS);
	d->waiting--;
	return d->out < MOST;
}

/* lend_take: the right to one connection, and one if there is one.  Errors: OVERLOADED. */
static enum errc lend_take(struct lend *d, struct link **ret, struct err *e)
{
	enum errc rc = ERR_OK;

	pthread_mutex_lock(&d->lock);
	if (lend_wait(d)) {
		d->out++;
		*ret = d->idle_count > 0 ? d->idle[--d->idle_count] : NULL;
	} else {
		rc = err_set(e, ERR_OVERLOADED, "",
			     "too many files are being stored and read; try again");
	}
	pthread_mutex_unlock(&d->lock);
	return rc;
}

/* lend_give: l: NULL: it was lost.  One is kept, and those that others wait for. */
static void lend_give(struct lend *d, struct link *l)
{
	if (l)
		link_clear(l);
	pthread_mutex_lock(&d->lock);
	d->out--;
	if (l && d->idle_count < (d->waiting > 0 ? MOST : 1))
		d->idle[d->idle_count++] = TAKE(l);
	pthread_cond_signal(&d->given);
	pthread_mutex_unlock(&d->lock);
	lend_drop(l);
}

bool lend_await(struct link *l)
{
	link_send(l, clock_mono_us(), ASK_US);
	return link_await(l);
}

/* lend_connect: NULL: e says why not. */
static struct link *lend_connect(struct lend *d, struct err *e)
{
	struct link *l = calloc(1, sizeof *l);

	if (!l) {
		err_no_memory(e);
		return NULL;
	}
	if (direct_connect(l, d->target, LOCK_MS, e) == ERR_OK)
		return l;
	fault_refuse(&l->fault, e);
	lend_drop(l);
	return NULL;
}

/* lend_use: *l: NULL: there is no connection yet, or none any more. */
static enum errc lend_use(struct lend *d, struct link                               **l,
			  bool (*on)(struct link *l, void *arg, struct err *e), void *arg,
			  struct err *e)
{
	bool kept = *l != NULL;
	int  deadlocks = 0;

	for (;;) {
		if (!*l)
			*l = lend_connect(d, e);
		if (!*l)
			return e->code;
		e->code = ERR_OK;
		if (on(*l, arg, e))
			return ERR_OK;
		bool own = e->code == ERR_OK;
		bool again =
			own &&
			(kept || (fault_is_deadlock(&(*l)->fault) && ++deadlocks < DEADLOCKS_MOST));
		if (own)
			fault_refuse(&(*l)->fault, e);
		lend_drop(TAKE(*l));
		kept = false;
		if (!again)
			return e->code;
	}
}

enum errc lend_do(struct lend *d, bool (*on)(struct link *l, void *arg, struct err *e), void *arg,
		  struct err *e)
{
	struct link *l = NULL;

	if (lend_take(d, &l, e) != ERR_OK)
		return e->code;
	enum errc rc = lend_use(d, &l, on, arg, e);
	lend_give(d, l);
	return rc;
}
