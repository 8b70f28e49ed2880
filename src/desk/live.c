/* The live runs, in buckets, under one lock. */
#include "desk/live.h"

#include "desk/cuts.h"
#include "desk/tape.h"
#include "store/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { BUCKETS = 1024 };

static pthread_mutex_t  lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head buckets[BUCKETS];

static void (*_Atomic elsewhere)(struct id id, int64_t owner);

static struct list_head *live_bucket_of(struct id id)
{
	return &buckets[id.secret % BUCKETS];
}

void live_add(struct live *l)
{
	pthread_mutex_lock(&lock);
	list_put_front(live_bucket_of(l->id), &l->link);
	pthread_mutex_unlock(&lock);
}

void live_remove(struct live *l)
{
	pthread_mutex_lock(&lock);
	list_take_out(&l->link);
	pthread_mutex_unlock(&lock);
}

static struct live_state live_state_of(const struct live *l)
{
	struct live_state s = {
		.id = l->id,
		.conversation = l->conversation,
		.owner = l->owner,
		.status = l->status,
		.created_ms = l->created_ms,
		.attempts = l->attempts,
		.first_token_ms = l->first_token_ms,
	};

	if (l->who)
		memcpy(s.key, l->who->id, sizeof s.key);
	memcpy(s.model, l->model, sizeof s.model);
	memcpy(s.provider, l->provider, sizeof s.provider);
	return s;
}

/* live_tell: for those who follow; on the run's loop, which alone changes it.  Nobody hears of a run
 * before a provider is asked: it may be refused. */
static void live_tell(const struct live *l)
{
	if (!live_feed_any() || l->status == RUN_QUEUED)
		return;
	struct live_state s = live_state_of(l);

	live_feed_tell(&s);
}

void live_set_status(struct live *l, enum run_status status)
{
	pthread_mutex_lock(&lock);
	l->status = status;
	pthread_mutex_unlock(&lock);
	live_tell(l);
}

void live_end(struct live *l, enum run_status status, const struct live_end *end)
{
	live_remove(l); /* who starts to follow now does not hear of it */
	if (!live_feed_any() || l->status == RUN_QUEUED)
		return;
	struct live_state s = live_state_of(l);

	s.status = status;
	s.end = *end;
	live_feed_tell(&s);
}

bool live_each(size_t i, void (*fn)(const struct live_state *s, void *arg), void *arg)
{
	if (i >= BUCKETS)
		return false;
	pthread_mutex_lock(&lock);
	LIST_EACH (l, &buckets[i], struct live, link) {
		struct live_state s = live_state_of(l);

		if (s.status != RUN_QUEUED)
			fn(&s, arg);
	}
	pthread_mutex_unlock(&lock);
	return true;
}

/* live_find_locked: the caller holds the lock. */
static struct live *live_find_locked(struct id id, int64_t owner)
{
	LIST_EACH (l, live_bucket_of(id), struct live, link)
		if (l->id.key == id.key && l->id.secret == id.secret && l->owner == owner)
			return l;
	return NULL;
}

/* live_copy: a: for the log; NULL: it is not asked for. */
static bool live_copy(struct id id, int64_t owner, struct live *ret, struct arena *a,
		      struct str *ret_log)
{
	pthread_mutex_lock(&lock);
	const struct live *l = live_find_locked(id, owner);

	if (l) {
		*ret = (struct live){ 0 };
		memcpy(ret, l, offsetof(struct live, log));
	}
	if (l && a)
		*ret_log = arena_str(a, buf_view(&l->log.text));
	pthread_mutex_unlock(&lock);
	return l;
}

bool live_look(struct id id, int64_t owner, struct live *ret)
{
	return live_copy(id, owner, ret, NULL, NULL);
}

bool live_look_log(struct id id, int64_t owner, struct live *ret, struct arena *a,
		   struct str *ret_log)
{
	return live_copy(id, owner, ret, a, ret_log);
}

bool live_find(struct id id, int64_t owner, struct live *ret)
{
	return live_look(id, owner, ret) && !ret->stored;
}

void live_set_first(struct live *l, int64_t first_token_ms)
{
	pthread_mutex_lock(&lock);
	l->first_token_ms = first_token_ms;
	pthread_mutex_unlock(&lock);
	live_tell(l);
}

void live_attempt_begun(struct live *l, const char *provider, const struct attempt_asked *a,
			int64_t begun_ms, unsigned attempts)
{
	pthread_mutex_lock(&lock);
	str_copy(l->provider, sizeof l->provider, str_of(provider));
	l->attempts = attempts;
	attempt_log_begun(&l->log, l->created_ms, a, begun_ms);
	pthread_mutex_unlock(&lock);
	live_tell(l);
}

void live_again(struct live *l, struct str past, size_t count, int64_t begun_ms, unsigned attempts)
{
	pthread_mutex_lock(&lock);
	attempt_log_again(&l->log, past, count, begun_ms);
	l->attempts = attempts;
	pthread_mutex_unlock(&lock);
}

void live_attempt_past(struct live *l, const struct attempt_asked *a, const struct attempt_past *p)
{
	pthread_mutex_lock(&lock);
	attempt_log_past(&l->log, l->created_ms, a, p);
	pthread_mutex_unlock(&lock);
}

void live_attempt_last(struct live *l, const struct attempt_asked *a, bool several, bool costs,
		       int64_t nano, const struct attempt_price *price)
{
	pthread_mutex_lock(&lock);
	attempt_log_last(&l->log, l->created_ms, a, several, costs, nano, price);
	pthread_mutex_unlock(&lock);
}

void live_attempt_last_step(struct live *l, const struct attempt_asked *a,
			    const struct attempt_past *p)
{
	pthread_mutex_lock(&lock);
	attempt_log_last_step(&l->log, l->created_ms, a, p);
	pthread_mutex_unlock(&lock);
}

struct tape *live_tape(struct id id, int64_t owner)
{
	pthread_mutex_lock(&lock);
	struct live *l = live_find_locked(id, owner);
	struct tape *t = l && l->tape ? tape_hold(l->tape) : NULL;
	pthread_mutex_unlock(&lock);
	return t;
}

bool live_cancel(struct id id, int64_t owner)
{
	pthread_mutex_lock(&lock);
	struct live *l = live_find_locked(id, owner);

	if (l && !l->posted) {
		l->posted = true;
		loop_post(l->loop, &l->cancel);
	}
	pthread_mutex_unlock(&lock);

	void (*tell)(struct id, int64_t) =
		l || cuts_cancel(id, owner) ? NULL : atomic_load(&elsewhere);
	if (tell)
		tell(id, owner);
	return l;
}

bool live_is_here(struct id id)
{
	pthread_mutex_lock(&lock);
	bool here = false;

	LIST_EACH (l, live_bucket_of(id), struct live, link)
		here = here || (l->id.key == id.key && l->id.secret == id.secret);
	pthread_mutex_unlock(&lock);
	return here;
}

void live_elsewhere(void (*cancel)(struct id id, int64_t owner))
{
	atomic_store(&elsewhere, cancel);
}

bool live_posted(struct live *l)
{
	pthread_mutex_lock(&lock);
	bool posted = l->posted;
	pthread_mutex_unlock(&lock);
	return posted;
}

void live_taken(struct live *l)
{
	pthread_mutex_lock(&lock);
	l->posted = false;
	pthread_mutex_unlock(&lock);
}
