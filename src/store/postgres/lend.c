/* Connections of workers. */
#include "store/postgres/lend.h"

#include "base/clock.h"
#include "store/postgres/direct.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	ASK_US = 60 * 1000 * 1000,
	/* So long a row is waited for, such as that of a content which another upload writes. */
	LOCK_MS = 8000,
	DEADLOCKS_MOST = 5,
};

struct lend {
	const struct link_target *target; /* borrowed */
	pthread_mutex_t           lock;
	struct link              *idle; /* owned; NULL: none */
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
	return d;
}

void lend_destroy(struct lend *d)
{
	if (!d)
		return;
	lend_drop(d->idle);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static struct link *lend_take(struct lend *d)
{
	pthread_mutex_lock(&d->lock);
	struct link *l = TAKE(d->idle);
	pthread_mutex_unlock(&d->lock);
	return l;
}

static void lend_give(struct lend *d, struct link *l)
{
	link_clear(l);
	pthread_mutex_lock(&d->lock);
	if (!d->idle)
		d->idle = TAKE(l);
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

enum errc lend_do(struct lend *d, bool (*on)(struct link *l, void *arg, struct err *e), void *arg,
		  struct err *e)
{
	struct link *l = lend_take(d);
	bool         kept = l != NULL;
	int          deadlocks = 0;

	for (;;) {
		if (!l)
			l = lend_connect(d, e);
		if (!l)
			return e->code;
		e->code = ERR_OK;
		if (on(l, arg, e)) {
			lend_give(d, l);
			return ERR_OK;
		}
		bool own = e->code == ERR_OK;
		bool again =
			own &&
			(kept || (fault_is_deadlock(&l->fault) && ++deadlocks < DEADLOCKS_MOST));
		if (own)
			fault_refuse(&l->fault, e);
		lend_drop(TAKE(l));
		kept = false;
		if (!again)
			return e->code;
	}
}
