/* The claims, in buckets, under one lock. */
#include "desk/claims.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKETS = 256 };

struct claim {
	struct list_link link; /* in its bucket */
	unsigned char    digest[HASH_BYTES];
	unsigned char    asked[HASH_BYTES];
	enum claim_stage stage;
	struct id        run;
	struct id        conversation;
	struct err       err;
	struct list_head watches;
	unsigned         users; /* references of the holder and the watchers; the last one frees */
};

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head buckets[BUCKETS];

/* --- with the lock held --- */

static void post_news(struct claim_watch *w)
{
	if (w->posted)
		return;
	w->posted = true;
	loop_post(w->loop, &w->task);
}

static void tell_all(struct claim *c)
{
	LIST_EACH (w, &c->watches, struct claim_watch, link)
		post_news(w);
}

static void claim_let_go(struct claim *c)
{
	if (--c->users == 0)
		free(c);
}

static struct claim *claim_find(const unsigned char digest[HASH_BYTES])
{
	LIST_EACH (c, &buckets[digest[0]], struct claim, link)
		if (memcmp(c->digest, digest, HASH_BYTES) == 0)
			return c;
	return NULL;
}

static void watch_claim(struct claim *c, struct claim_watch *w)
{
	w->claim = c;
	list_put_front(&c->watches, &w->link);
	c->users++;
	post_news(w);
}

static struct claim *claim_add(const unsigned char digest[HASH_BYTES],
			       const unsigned char asked[HASH_BYTES])
{
	struct claim *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	memcpy(c->digest, digest, HASH_BYTES);
	memcpy(c->asked, asked, HASH_BYTES);
	c->users = 1;
	list_put_front(&buckets[digest[0]], &c->link);
	return c;
}

/* --- watchers --- */

static void claim_on_task(struct task *t)
{
	struct claim_watch *w = container_of(t, struct claim_watch, task);

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

void claim_leave(struct claim_watch *w)
{
	pthread_mutex_lock(&lock);
	struct claim *c = w->claim;

	list_take_out(&w->link);
	w->claim = NULL;
	w->stopping = true;
	claim_let_go(c);
	bool posted = w->posted;
	pthread_mutex_unlock(&lock);
	if (!posted)
		w->gone(w);
}

/* --- claims --- */

enum claimed claim_digest(const unsigned char digest[HASH_BYTES],
			  const unsigned char asked[HASH_BYTES], struct claim_watch *w,
			  struct claim **ret)
{
	enum claimed answer = CLAIM_WATCHED;

	w->task.fn = claim_on_task;
	pthread_mutex_lock(&lock);
	struct claim *c = claim_find(digest);
	if (!c) {
		c = claim_add(digest, asked);
		if (c)
			*ret = c;
		answer = c ? CLAIM_FIRST : CLAIM_NO_MEMORY;
	} else if (memcmp(c->asked, asked, HASH_BYTES) != 0) {
		answer = CLAIM_OTHER;
	} else {
		watch_claim(c, w);
	}
	pthread_mutex_unlock(&lock);
	return answer;
}

void claim_reach(struct claim *c, enum claim_stage stage, struct id run, struct id conversation)
{
	if (!c)
		return;
	pthread_mutex_lock(&lock);
	c->stage = stage > c->stage ? stage : c->stage;
	c->run = run;
	c->conversation = conversation;
	tell_all(c);
	pthread_mutex_unlock(&lock);
}

void claim_end(struct claim *c, enum claim_stage how, const struct err *e)
{
	if (!c)
		return;
	pthread_mutex_lock(&lock);
	c->stage = how;
	if (e)
		c->err = *e;
	list_take_out(&c->link);
	tell_all(c);
	claim_let_go(c);
	pthread_mutex_unlock(&lock);
}
