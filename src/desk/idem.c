/* The claims, in buckets, under one lock. */
#include "desk/idem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BUCKETS = 256 };

struct idem_claim {
	struct list_link link; /* in its bucket */
	struct idem_name name; /* constant, so read without the lock */
	enum idem_stage  stage;
	struct id        run;
	struct id        conversation;
	struct id        taken; /* none: the store does not know the claim */
	int64_t          holder;
	struct err       err;
	struct list_head watches;
	unsigned         users; /* references of the owner and the watchers; the last one frees */
};

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head buckets[BUCKETS];

static void (*_Atomic idem_give_back)(struct id taken);

/* FNV-1a is enough: clients choose the keys, but their number is bounded by the running
 * requests. */
static struct list_head *idem_bucket_of(const struct idem_name *name)
{
	uint64_t h = 14695981039346656037u ^ (uint64_t)name->owner;

	for (const char *p = name->key; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	return &buckets[h % BUCKETS];
}

/* --- with the lock held --- */

static void post_news(struct idem_watch *w)
{
	if (w->posted)
		return;
	w->posted = true;
	loop_post(w->loop, &w->task);
}

static void tell_all(struct idem_claim *c)
{
	LIST_EACH (w, &c->watches, struct idem_watch, link)
		post_news(w);
}

static void idem_let_go(struct idem_claim *c)
{
	if (--c->users == 0)
		free(c);
}

static struct idem_claim *idem_find(const struct idem_name *name)
{
	LIST_EACH (c, idem_bucket_of(name), struct idem_claim, link)
		if (c->name.owner == name->owner && strcmp(c->name.key, name->key) == 0)
			return c;
	return NULL;
}

static void watch_claim(struct idem_claim *c, struct idem_watch *w)
{
	w->claim = c;
	list_put_front(&c->watches, &w->link);
	c->users++;
	post_news(w);
}

static struct idem_claim *idem_add(const struct idem_name *name)
{
	struct idem_claim *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->name = *name;
	c->users = 1;
	list_put_front(idem_bucket_of(name), &c->link);
	return c;
}

/* --- watchers --- */

static void idem_on_task(struct task *t)
{
	struct idem_watch *w = container_of(t, struct idem_watch, task);

	pthread_mutex_lock(&lock);
	w->posted = false;
	if (!w->stopping) {
		w->stage = w->claim->stage;
		w->run = w->claim->run;
		w->conversation = w->claim->conversation;
		w->err = w->claim->err;
	}
	pthread_mutex_unlock(&lock);
	if (w->stopping)
		w->gone(w);
	else
		w->fn(w);
}

void idem_leave(struct idem_watch *w)
{
	pthread_mutex_lock(&lock);
	struct idem_claim *c = w->claim;

	list_take_out(&w->link);
	w->claim = NULL;
	w->stopping = true;
	idem_let_go(c);
	bool posted = w->posted;
	pthread_mutex_unlock(&lock);
	if (!posted)
		w->gone(w);
}

/* --- claims --- */

enum idem_claimed idem_claim(const struct idem_name *name, struct idem_watch *w,
			     struct idem_claim **ret)
{
	enum idem_claimed answer = IDEM_WATCHED;

	w->task.fn = idem_on_task;
	pthread_mutex_lock(&lock);
	struct idem_claim *c = idem_find(name);
	if (!c) {
		c = idem_add(name);
		if (c)
			*ret = c;
		answer = c ? IDEM_FIRST : IDEM_NO_MEMORY;
	} else if (memcmp(c->name.fingerprint, name->fingerprint, HASH_BYTES) != 0) {
		answer = IDEM_OTHER;
	} else {
		watch_claim(c, w);
	}
	pthread_mutex_unlock(&lock);
	return answer;
}

const struct idem_name *idem_name(const struct idem_claim *c)
{
	return &c->name;
}

void idem_reach(struct idem_claim *c, enum idem_stage stage, struct id run, struct id conversation)
{
	pthread_mutex_lock(&lock);
	c->stage = stage > c->stage ? stage : c->stage;
	c->run = run;
	c->conversation = conversation;
	tell_all(c);
	pthread_mutex_unlock(&lock);
}

void idem_taken(struct idem_claim *c, struct id taken, int64_t holder)
{
	c->taken = taken;
	c->holder = holder;
}

int64_t idem_holder(const struct idem_claim *c)
{
	return c->holder;
}

void idem_store(void (*give_back)(struct id taken))
{
	atomic_store(&idem_give_back, give_back);
}

void idem_over(struct idem_claim *c, enum idem_stage how, const struct err *e)
{
	void (*give_back)(struct id) = atomic_load(&idem_give_back);

	if (how == IDEM_FREED && give_back && !id_none(c->taken))
		give_back(c->taken);
	pthread_mutex_lock(&lock);
	c->stage = how;
	if (e)
		c->err = *e;
	list_take_out(&c->link);
	tell_all(c);
	idem_let_go(c);
	pthread_mutex_unlock(&lock);
}
