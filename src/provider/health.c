/* A small table of targets in trouble, under one lock that healthy times never take. */
#include "provider/health.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct entry {
	char    provider[PROVIDER_LABEL];
	char    model[LIMIT_MODEL]; /* without a NUL; of length 0: the provider entry itself */
	size_t  model_n;
	int64_t touched_us;
	int64_t failures;       /* in a row; in quarters */
	int64_t first_us;       /* time of the first of these failures */
	int64_t open_until_us;  /* then a probe may be made; 0: the breaker is closed */
	int64_t probe_until_us; /* then the running probe counts as lost; 0: no probe runs */
	int64_t cool_until_us;
	bool    used_up; /* the target cools because the key is used up */
	int64_t dead_until_us;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry    entries[LIMIT_HEALTH];
static size_t          used;
static atomic_bool     trouble; /* used > 0 */

static struct entry *find_locked(const char *provider, struct str model)
{
	for (size_t i = 0; i < used; i++) {
		struct entry *x = &entries[i];

		if (x->model_n == model.n && strcmp(x->provider, provider) == 0 &&
		    (model.n == 0 || memcmp(x->model, model.p, model.n) == 0))
			return x;
	}
	return NULL;
}

static void remove_locked(struct entry *x)
{
	*x = entries[--used];
	if (used == 0)
		atomic_store_explicit(&trouble, false, memory_order_relaxed);
}

/* health_is_over: whether an entry says nothing any more, and can be removed. */
static bool health_is_over(const struct entry *x, int64_t now_us)
{
	return x->failures == 0 && x->open_until_us == 0 && x->cool_until_us <= now_us &&
	       x->dead_until_us <= now_us;
}

static struct entry *make_locked(const char *provider, struct str model, int64_t now_us)
{
	struct entry *x = find_locked(provider, model);

	if (!x && used == LIMIT_HEALTH) {
		x = &entries[0];
		for (size_t i = 1; i < used; i++)
			if (entries[i].touched_us < x->touched_us)
				x = &entries[i];
		remove_locked(x);
		x = NULL;
	}
	if (!x) {
		x = &entries[used++];
		*x = (struct entry){ .model_n = model.n < LIMIT_MODEL ? model.n : LIMIT_MODEL };
		str_copy(x->provider, sizeof x->provider, str_of(provider));
		if (model.p)
			memcpy(x->model, model.p, x->model_n);
		atomic_store_explicit(&trouble, true, memory_order_relaxed);
	}
	x->touched_us = now_us;
	return x;
}

static bool at_peace(void)
{
	return !atomic_load_explicit(&trouble, memory_order_relaxed);
}

/* --- asking --- */

static enum health look_locked(const struct health_target *t, int64_t now_us, int64_t *ret_until_us,
			       bool *ret_probe)
{
	const struct entry *key = find_locked(t->provider, STR_NONE);
	const struct entry *x = find_locked(t->provider, t->model);

	*ret_probe = false;
	if (key && key->dead_until_us > now_us) {
		*ret_until_us = key->dead_until_us;
		return HEALTH_DEAD;
	}
	if (x && x->cool_until_us > now_us) {
		*ret_until_us = x->cool_until_us;
		return HEALTH_COOLING;
	}
	if (!x || x->open_until_us == 0)
		return HEALTH_FINE;
	*ret_until_us = x->open_until_us > x->probe_until_us ? x->open_until_us : x->probe_until_us;
	if (*ret_until_us > now_us)
		return HEALTH_OPEN;
	*ret_probe = true;
	return HEALTH_FINE;
}

enum health health_ask(const struct health_target *t, int64_t now_us, int64_t *ret_wait_us,
		       bool *ret_probe)
{
	int64_t until_us = now_us;

	*ret_wait_us = 0;
	*ret_probe = false;
	if (at_peace())
		return HEALTH_FINE;
	pthread_mutex_lock(&lock);
	enum health h = look_locked(t, now_us, &until_us, ret_probe);
	pthread_mutex_unlock(&lock);
	if (h != HEALTH_FINE)
		*ret_wait_us = until_us - now_us;
	return h;
}

bool health_probe(const struct health_target *t, int64_t now_us)
{
	int64_t until_us;
	bool    probe;

	pthread_mutex_lock(&lock);
	enum health h = look_locked(t, now_us, &until_us, &probe);
	if (probe)
		make_locked(t->provider, t->model, now_us)->probe_until_us =
			now_us + t->rules->pause_us;
	pthread_mutex_unlock(&lock);
	return h == HEALTH_FINE;
}

/* --- telling --- */

enum { QUARTERS = 4 };

static void fail_locked(const struct health_target *t, int64_t quarters, bool probe, int64_t now_us)
{
	const struct health_rules *rules = t->rules;

	if (rules->failures <= 0 || rules->pause_us <= 0)
		return;

	struct entry *x = make_locked(t->provider, t->model, now_us);
	if (x->failures == 0 || now_us - x->first_us > rules->window_us) {
		x->failures = 0;
		x->first_us = now_us;
	}
	x->failures += quarters;
	/* Calls that began before the breaker opened do not prolong the pause. */
	if (probe || (x->open_until_us == 0 && x->failures >= QUARTERS * rules->failures)) {
		x->open_until_us = now_us + rules->pause_us;
		x->probe_until_us = 0;
	}
}

static void good_locked(const struct health_target *t, int64_t now_us)
{
	struct entry *x = find_locked(t->provider, t->model);
	struct entry *key;

	if (x) {
		x->failures = 0;
		x->open_until_us = x->probe_until_us = 0;
		if (health_is_over(x, now_us))
			remove_locked(x);
	}
	key = find_locked(t->provider, STR_NONE);
	if (key && health_is_over(key, now_us))
		remove_locked(key);
}

static void cool_locked(const struct health_target *t, bool used_up, int64_t told_us, bool probe,
			int64_t now_us)
{
	/* If the rule is switched off, the time that the provider demands does not count either. */
	int64_t us = used_up ? t->rules->dead_us : t->rules->cooling_us;

	if (us > 0 && !used_up && told_us > 0)
		us = told_us;
	if (us > 0) {
		struct entry *x = make_locked(t->provider, t->model, now_us);

		if (now_us + us > x->cool_until_us) {
			x->cool_until_us = now_us + us;
			x->used_up = used_up;
		}
	}
	struct entry *x = probe ? find_locked(t->provider, t->model) : NULL;
	if (x)
		x->probe_until_us = 0;
}

static void tell_locked(const struct health_target *t, enum health_news news, int64_t told_us,
			bool probe, int64_t now_us)
{
	struct entry *x;

	switch (news) {
	case HEALTH_GOOD: good_locked(t, now_us); return;
	case HEALTH_FAILED: fail_locked(t, QUARTERS, probe, now_us); return;
	case HEALTH_UNSURE: fail_locked(t, 1, probe, now_us); return;
	case HEALTH_LIMITED:
	case HEALTH_USED_UP: cool_locked(t, news == HEALTH_USED_UP, told_us, probe, now_us); return;
	case HEALTH_REFUSED:
		if (t->rules->dead_us > 0)
			make_locked(t->provider, STR_NONE, now_us)->dead_until_us =
				now_us + t->rules->dead_us;
		break;
	case HEALTH_NEITHER: break;
	}
	/* The probe has found out nothing, so the next call is a probe again. */
	x = probe ? find_locked(t->provider, t->model) : NULL;
	if (x)
		x->probe_until_us = 0;
}

void health_tell(const struct health_target *t, enum health_news news, int64_t told_us, bool probe,
		 int64_t now_us)
{
	if ((news == HEALTH_GOOD || news == HEALTH_NEITHER) && at_peace())
		return;
	pthread_mutex_lock(&lock);
	tell_locked(t, news, told_us, probe, now_us);
	pthread_mutex_unlock(&lock);
}

/* --- all of them --- */

void health_count(int64_t now_us, int64_t ret[HEALTH__COUNT])
{
	for (size_t i = 0; i < HEALTH__COUNT; i++)
		ret[i] = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = used; i-- > 0;) {
		struct entry *x = &entries[i];

		if (health_is_over(x, now_us)) {
			remove_locked(x);
			continue;
		}
		ret[HEALTH_DEAD] += x->dead_until_us > now_us;
		ret[HEALTH_COOLING] += x->cool_until_us > now_us;
		ret[HEALTH_OPEN] += x->open_until_us > 0;
	}
	pthread_mutex_unlock(&lock);
}

static enum health health_of(const struct entry *x, int64_t now_us)
{
	if (x->dead_until_us > now_us)
		return HEALTH_DEAD;
	if (x->open_until_us > 0)
		return HEALTH_OPEN;
	return x->cool_until_us > now_us ? HEALTH_COOLING : HEALTH_FINE;
}

enum health health_entry(const char *provider, int64_t now_us, bool *ret_probe)
{
	enum health worst = HEALTH_FINE;

	*ret_probe = false;
	if (at_peace())
		return worst;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < used; i++) {
		const struct entry *x = &entries[i];
		enum health         h = health_of(x, now_us);

		if (strcmp(x->provider, provider) != 0 || h < worst)
			continue;
		bool probe = h == HEALTH_OPEN && x->open_until_us <= now_us;
		*ret_probe = h > worst ? probe : probe && *ret_probe;
		worst = h;
	}
	pthread_mutex_unlock(&lock);
	return worst;
}

static struct health_view health_view_of(const struct entry *x, int64_t now_us)
{
	struct health_view v = { .state = health_of(x, now_us),
				 .failures = x->failures / QUARTERS };

	if (v.state == HEALTH_DEAD)
		v.until_us = x->dead_until_us;
	else if (v.state == HEALTH_COOLING)
		v.until_us = x->cool_until_us;
	else if (v.state == HEALTH_OPEN)
		v.until_us =
			x->open_until_us > x->probe_until_us ? x->open_until_us : x->probe_until_us;
	v.probe = v.state == HEALTH_OPEN && v.until_us <= now_us;
	if (v.until_us <= now_us)
		v.until_us = 0;
	return v;
}

struct health_view health_look(const char *provider, struct str model, int64_t now_us)
{
	struct health_view worst = { .state = HEALTH_FINE };

	if (at_peace())
		return worst;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < used; i++) {
		const struct entry *x = &entries[i];
		struct str          name = { x->model, x->model_n };
		struct health_view  v = health_view_of(x, now_us);

		if (strcmp(x->provider, provider) != 0 ||
		    (name.n > 0 && model.n > 0 && !str_eq(name, model)))
			continue;
		int64_t failures = worst.failures > v.failures ? worst.failures : v.failures;

		if (v.state > worst.state ||
		    (v.state == worst.state && v.until_us > worst.until_us))
			worst = v;
		worst.failures = failures;
	}
	pthread_mutex_unlock(&lock);
	return worst;
}

const char *health_word(const struct health_view *v)
{
	switch (v->state) {
	case HEALTH_FINE: return "fine";
	case HEALTH_COOLING: return "cooling";
	case HEALTH_OPEN: return v->probe ? "probe" : "open";
	case HEALTH_DEAD: return "dead_key";
	case HEALTH__COUNT: break;
	}
	return "";
}

void health_forgive(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < used; i++) {
		entries[i].dead_until_us = 0;
		if (entries[i].used_up)
			entries[i].cool_until_us = 0;
	}
	pthread_mutex_unlock(&lock);
}

void health_revive(const char *provider)
{
	if (at_peace())
		return;
	pthread_mutex_lock(&lock);
	struct entry *key = find_locked(provider, STR_NONE);
	if (key)
		key->dead_until_us = 0;
	pthread_mutex_unlock(&lock);
}

void health_reset(void)
{
	pthread_mutex_lock(&lock);
	used = 0;
	atomic_store_explicit(&trouble, false, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
}
