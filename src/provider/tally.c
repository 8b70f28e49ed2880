/* A list of tallies that only grows, under one lock that no good call takes. */
#include "provider/tally.h"

#include "base/base.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	struct tally     *next;
	_Atomic int64_t   calls, failed, begun, first_us, tokens_in, cached, answered_us;
	struct tally_view last;                      /* the last failure; guarded by the lock */
	struct str        model, provider, upstream; /* their bytes follow the struct */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tally   *tallies;
static size_t          tally_count;

static struct tally *tally_find_locked(struct str model, struct str provider, struct str upstream)
{
	struct tally *t = tallies;

	while (t && !(str_eq(t->model, model) && str_eq(t->provider, provider) &&
		      str_eq(t->upstream, upstream)))
		t = t->next;
	return t;
}

static struct str tally_put(char **at, struct str s)
{
	struct str ret = { *at, s.n };

	if (s.n > 0)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return ret;
}

static struct tally *tally_make_locked(struct str model, struct str provider, struct str upstream)
{
	struct tally *t = tally_count < LIMIT_TALLIES
				  ? calloc(1, sizeof *t + model.n + provider.n + upstream.n)
				  : NULL;

	if (!t)
		return NULL;

	char *at = (char *)(t + 1);

	t->model = tally_put(&at, model);
	t->provider = tally_put(&at, provider);
	t->upstream = tally_put(&at, upstream);
	t->next = tallies;
	tallies = t;
	tally_count++;
	return t;
}

struct tally *tally_of(struct str model, const char *provider, struct str upstream)
{
	struct str name = str_of(provider);

	pthread_mutex_lock(&lock);
	struct tally *t = tally_find_locked(model, name, upstream);

	if (!t)
		t = tally_make_locked(model, name, upstream);
	pthread_mutex_unlock(&lock);
	return t;
}

static void tally_add(_Atomic int64_t *to, int64_t n)
{
	atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

static int64_t tally_get(const _Atomic int64_t *of)
{
	return atomic_load_explicit(of, memory_order_relaxed);
}

bool tally_answered(struct tally *t, int64_t since_us)
{
	return t && tally_get(&t->answered_us) > since_us;
}

void tally_first(struct tally *t, int64_t us, int64_t now_us)
{
	if (!t)
		return;
	atomic_store_explicit(&t->answered_us, now_us, memory_order_relaxed);
	tally_add(&t->begun, 1);
	tally_add(&t->first_us, us);
}

void tally_over(struct tally *t, const struct err *e, int64_t now_ms)
{
	if (!t)
		return;
	tally_add(&t->calls, 1);
	if (!e || e->code == ERR_CANCELLED || e->code == ERR_SHUTTING_DOWN)
		return;
	tally_add(&t->failed, 1);
	pthread_mutex_lock(&lock);
	t->last =
		(struct tally_view){ .code = e->code, .http = e->upstream_status, .at_ms = now_ms };
	str_copy(t->last.wire, sizeof t->last.wire, str_of(err_wire(e)));
	str_copy(t->last.text, sizeof t->last.text, str_of(e->text));
	pthread_mutex_unlock(&lock);
}

void tally_used(struct tally *t, int64_t tokens_in, int64_t cached)
{
	if (!t)
		return;
	tally_add(&t->tokens_in, tokens_in);
	tally_add(&t->cached, cached);
}

void tally_look(struct tally *t, struct tally_view *ret)
{
	*ret = (struct tally_view){ 0 };
	if (!t)
		return;
	pthread_mutex_lock(&lock);
	*ret = t->last;
	pthread_mutex_unlock(&lock);
	ret->calls = tally_get(&t->calls);
	ret->failed = tally_get(&t->failed);
	ret->begun = tally_get(&t->begun);
	ret->first_us = tally_get(&t->first_us);
	ret->tokens_in = tally_get(&t->tokens_in);
	ret->cached = tally_get(&t->cached);
}
