/* The claims, in buckets, under one lock. */
#include "desk/keys.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKETS = 256 };

struct keys_claim {
	struct list_link   link; /* of its bucket */
	struct keys_name   name; /* never changed: read without the lock */
	enum keys_stage    stage;
	struct id          run;
	struct id          conversation;
	struct err         err;
	struct list_head   watches;
	unsigned           users; /* the owner and the watchers: the last one frees */
};

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head buckets[BUCKETS];

/* FNV-1a: keys are the clients' own, and their number is bounded by the requests that go on. */
static struct list_head *bucket_of(const struct keys_name *name)
{
	uint64_t h = 14695981039346656037u ^ (uint64_t)name->owner;

	for (const char *p = name->key; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	return &buckets[h % BUCKETS];
}

/* --- with the lock held --- */

static void post(struct keys_watch *w)
{
	if (w->posted)
		return;
	w->posted = true;
	loop_post(w->loop, &w->task);
}

static void tell_all(struct keys_claim *c)
{
	LIST_EACH(w, &c->watches, struct keys_watch, link)
		post(w);
}

static void let_go(struct keys_claim *c)
{
	if (--c->users == 0)
		free(c);
}

static struct keys_claim *find(const struct keys_name *name)
{
	LIST_EACH(c, bucket_of(name), struct keys_claim, link)
		if (c->name.owner == name->owner && strcmp(c->name.key, name->key) == 0)
			return c;
	return NULL;
}

static void watch(struct keys_claim *c, struct keys_watch *w)
{
	w->claim = c;
	list_put_front(&c->watches, &w->link);
	c->users++;
	post(w);
}

static struct keys_claim *add(const struct keys_name *name)
{
	struct keys_claim *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->name = *name;
	c->users = 1;
	list_put_front(bucket_of(name), &c->link);
	return c;
}

/* --- watchers --- */

static void on_task(struct task *t)
{
	struct keys_watch *w = container_of(t, struct keys_watch, task);

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

void keys_leave(struct keys_watch *w)
{
	pthread_mutex_lock(&lock);
	struct keys_claim *c = w->claim;

	list_take_out(&w->link);
	w->claim = NULL;
	w->stopping = true;
	let_go(c);
	bool posted = w->posted;
	pthread_mutex_unlock(&lock);
	if (!posted)
		w->gone(w);
}

/* --- claims --- */

enum keys_answer keys_claim(const struct keys_name *name, struct keys_watch *w,
			    struct keys_claim **ret)
{
	enum keys_answer answer = KEYS_WATCHED;

	w->task.fn = on_task;
	pthread_mutex_lock(&lock);
	struct keys_claim *c = find(name);
	if (!c) {
		c = add(name);
		if (c)
			*ret = c;
		answer = c ? KEYS_FIRST : KEYS_NO_MEMORY;
	} else if (memcmp(c->name.fingerprint, name->fingerprint, HASH_BYTES) != 0) {
		answer = KEYS_OTHER;
	} else {
		watch(c, w);
	}
	pthread_mutex_unlock(&lock);
	return answer;
}

const struct keys_name *keys_name(const struct keys_claim *c)
{
	return &c->name;
}

void keys_reach(struct keys_claim *c, enum keys_stage stage, struct id run, struct id conversation)
{
	pthread_mutex_lock(&lock);
	c->stage = stage > c->stage ? stage : c->stage;
	c->run = run;
	c->conversation = conversation;
	tell_all(c);
	pthread_mutex_unlock(&lock);
}

void keys_over(struct keys_claim *c, enum keys_stage how, const struct err *e)
{
	pthread_mutex_lock(&lock);
	c->stage = how;
	if (e)
		c->err = *e;
	list_take_out(&c->link);
	tell_all(c);
	let_go(c);
	pthread_mutex_unlock(&lock);
}
