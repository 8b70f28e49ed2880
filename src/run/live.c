/* The one list of unstored runs, under one lock. */
#include "run/live.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct live    *all; /* newest first */

void live_add(struct live *l)
{
	pthread_mutex_lock(&lock);
	l->prev = NULL;
	l->next = all;
	if (all)
		all->prev = l;
	all = l;
	pthread_mutex_unlock(&lock);
}

void live_remove(struct live *l)
{
	pthread_mutex_lock(&lock);
	if (l->prev || all == l) {
		if (l->prev)
			l->prev->next = l->next;
		else
			all = l->next;
		if (l->next)
			l->next->prev = l->prev;
		l->prev = l->next = NULL;
	}
	pthread_mutex_unlock(&lock);
}

void live_set_status(struct live *l, enum run_status status)
{
	pthread_mutex_lock(&lock);
	l->status = status;
	pthread_mutex_unlock(&lock);
}

bool live_find(struct id id, int64_t owner, struct live *ret)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (const struct live *l = all; l && !found; l = l->next) {
		if (l->id.key != id.key || l->id.secret != id.secret || l->owner != owner)
			continue;
		*ret = *l;
		found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
