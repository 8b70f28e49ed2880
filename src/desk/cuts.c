/* One list, and all listeners: who is free takes the next run. */
#include "desk/cuts.h"

#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>

struct cut_run {
	struct list_link link;
	struct id        run;
	int64_t          by;       /* the owner who wants it to end */
	bool             unwanted; /* there is one */
};

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head runs;
static struct list_head taken; /* and not over */
static struct list_head listeners;

static void cuts_run_task(struct task *t)
{
	struct cuts_listener *l = container_of(t, struct cuts_listener, task);

	pthread_mutex_lock(&lock);
	l->posted = false;
	pthread_mutex_unlock(&lock);
	l->fn(l);
}

static void cuts_post(struct cuts_listener *l)
{
	if (l->posted)
		return;
	l->posted = true;
	l->task.fn = cuts_run_task;
	loop_post(l->loop, &l->task);
}

void cuts_add(struct id run)
{
	struct cut_run *x = calloc(1, sizeof *x);

	if (!x) {
		log_note(LOG_ERROR, "run_cut",
			 "no memory: a run that could go on waits for the next start");
		return;
	}
	x->run = run;
	pthread_mutex_lock(&lock);
	list_put_back(&runs, &x->link);
	for (struct cuts_listener *l = LIST_FIRST(&listeners, struct cuts_listener, link); l;
	     l = LIST_NEXT(l, struct cuts_listener, link))
		cuts_post(l);
	pthread_mutex_unlock(&lock);
}

bool cuts_take(struct id *ret)
{
	pthread_mutex_lock(&lock);
	struct cut_run *x = LIST_FIRST(&runs, struct cut_run, link);
	if (x) {
		*ret = x->run;
		list_take_out(&x->link);
		list_put_back(&taken, &x->link);
	}
	pthread_mutex_unlock(&lock);
	return x;
}

static struct cut_run *cuts_find(const struct list_head *list, struct id run)
{
	struct cut_run *x = LIST_FIRST(list, struct cut_run, link);

	while (x && x->run.key != run.key)
		x = LIST_NEXT(x, struct cut_run, link);
	return x;
}

static struct cut_run *cuts_find_any(struct id run)
{
	struct cut_run *x = cuts_find(&runs, run);

	return x ? x : cuts_find(&taken, run);
}

bool cuts_over(struct id run, int64_t owner)
{
	pthread_mutex_lock(&lock);
	struct cut_run *x = cuts_find(&taken, run);
	bool            unwanted = x && x->unwanted && x->by == owner;
	if (x)
		list_take_out(&x->link);
	pthread_mutex_unlock(&lock);
	free(x);
	return unwanted;
}

bool cuts_has(struct id run)
{
	pthread_mutex_lock(&lock);
	bool has = cuts_find_any(run);
	pthread_mutex_unlock(&lock);
	return has;
}

bool cuts_cancel(struct id run, int64_t owner)
{
	pthread_mutex_lock(&lock);
	struct cut_run *x = cuts_find_any(run);
	bool            found = x && x->run.secret == run.secret;
	if (found) {
		x->by = owner;
		x->unwanted = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

bool cuts_cancelled(struct id run, int64_t owner)
{
	pthread_mutex_lock(&lock);
	const struct cut_run *x = cuts_find_any(run);
	bool                  unwanted = x && x->unwanted && x->by == owner;
	pthread_mutex_unlock(&lock);
	return unwanted;
}

void cuts_listen(struct cuts_listener *l)
{
	pthread_mutex_lock(&lock);
	list_put_back(&listeners, &l->link);
	if (runs.first)
		cuts_post(l);
	pthread_mutex_unlock(&lock);
}

void cuts_leave(struct cuts_listener *l)
{
	pthread_mutex_lock(&lock);
	list_take_out(&l->link);
	pthread_mutex_unlock(&lock);
}
