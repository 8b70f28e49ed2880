/* The windows of keys, in a table with a fixed bound. */
#include "desk/rate.h"

#include "desk/key_table.h"

#include <pthread.h>
#include <stdlib.h>

struct window {
	int64_t from_us; /* 0: no window has begun */
	int64_t until_us;
	int64_t used;
};

struct rate_slot {
	struct key_slot base;
	struct window   requests, tokens;
	int64_t         calls; /* running calls; above 0, the entry is not removed */
};

struct rate {
	pthread_mutex_t  lock;
	struct rate_slot all;
	struct key_table keys;
};

static bool rate_is_over(const struct window *w, int64_t now_us)
{
	return w->from_us == 0 || now_us >= w->until_us;
}

static enum key_worth rate_worth(const struct key_slot *base, int64_t now_us)
{
	const struct rate_slot *s = container_of(base, const struct rate_slot, base);

	if (s->calls > 0)
		return KEY_STAYS;
	return rate_is_over(&s->requests, now_us) && rate_is_over(&s->tokens, now_us) ? KEY_IS_OVER
										      : KEY_MAY_GO;
}

struct rate *rate_create(size_t max_keys)
{
	struct rate *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	key_table_init(&r->keys, sizeof(struct rate_slot), max_keys, rate_worth);
	return r;
}

void rate_destroy(struct rate *r)
{
	if (!r)
		return;
	key_table_finish(&r->keys);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static struct rate_slot *rate_slot_of(struct key_slot *base)
{
	return base ? container_of(base, struct rate_slot, base) : NULL;
}

static bool rate_counts(const struct allowance *a)
{
	return a && (a->requests > 0 || a->tokens > 0 || a->concurrent > 0);
}

/* --- windows --- */

static int64_t rate_used(const struct window *w, int64_t window_us, int64_t now_us)
{
	return w->from_us == 0 || now_us - w->from_us >= window_us ? 0 : w->used;
}

static void rate_take_one(struct window *w, int64_t window_us, int64_t now_us, int64_t n,
			  int64_t *ret_from)
{
	if (w->from_us == 0 || now_us - w->from_us >= window_us)
		*w = (struct window){ .from_us = now_us };
	w->until_us = w->from_us + window_us;
	w->used += n;
	*ret_from = w->from_us;
}

static struct rate_left window_left(const struct window *w, int64_t limit, int64_t window_us,
				    int64_t now_us)
{
	if (limit == 0)
		return (struct rate_left){ .limit = 0 };

	int64_t n = w ? limit - rate_used(w, window_us, now_us) : limit;
	bool    on = w && w->from_us != 0 && now_us - w->from_us < window_us;
	return (struct rate_left){
		.limit = limit,
		.left = n > 0 ? n : 0,
		.window_us = window_us,
		.reset_us = on ? w->from_us + window_us - now_us : window_us,
	};
}

/* --- a call --- */

static void view_of(const struct rate_slot *s, const struct allowance *a, int64_t now_us,
		    struct rate_left of[RATE_POLICY__COUNT])
{
	int64_t calls = s ? s->calls : 0;

	if (!a)
		return;
	of[RATE_REQUESTS] =
		window_left(s ? &s->requests : NULL, a->requests, a->requests_window_us, now_us);
	of[RATE_TOKENS] =
		window_left(s ? &s->tokens : NULL, a->tokens, a->tokens_window_us, now_us);
	of[RATE_CALLS] = (struct rate_left){
		.limit = a->concurrent,
		.left = a->concurrent > calls ? a->concurrent - calls : 0,
	};
}

/* rate_tokens_of: a call without a maximum takes at most all tokens of a window. */
static int64_t rate_tokens_of(const struct rate_ask *ask, const struct allowance *a)
{
	return ask->open && ask->tokens > a->tokens ? a->tokens : ask->tokens;
}

static enum rate_answer rate_check(const struct rate_slot *s, const struct allowance *a,
				   const struct rate_ask *ask, enum rate_policy *why)
{
	int64_t now = ask->now_us;

	*why = RATE_CALLS;
	if (a->concurrent > 0 && s->calls >= a->concurrent)
		return RATE_REFUSED;
	*why = RATE_REQUESTS;
	if (a->requests > 0 && rate_used(&s->requests, a->requests_window_us, now) >= a->requests)
		return RATE_REFUSED;
	*why = RATE_TOKENS;
	if (a->tokens == 0)
		return RATE_TAKEN;
	if (rate_tokens_of(ask, a) > a->tokens)
		return RATE_NEVER;
	return rate_tokens_of(ask, a) > a->tokens - rate_used(&s->tokens, a->tokens_window_us, now)
		       ? RATE_REFUSED
		       : RATE_TAKEN;
}

static void take_all(struct rate_slot *s, const struct allowance *a, const struct rate_ask *ask,
		     enum rate_whose whose, struct rate_hold *hold)
{
	hold->slot[whose] = s;
	s->calls++;
	if (a->requests > 0)
		rate_take_one(&s->requests, a->requests_window_us, ask->now_us, 1,
			      &hold->requests_from[whose]);
	if (a->tokens == 0)
		return;
	hold->tokens[whose] = rate_tokens_of(ask, a);
	rate_take_one(&s->tokens, a->tokens_window_us, ask->now_us, hold->tokens[whose],
		      &hold->tokens_from[whose]);
}

/* Whose limits a call has to do with; slot NULL: not this one's. */
struct rate_party {
	struct rate_slot       *slot;
	const struct allowance *a;
};

/* rate_find: makes entries that are not there; false: there is no room for one. */
static bool rate_find(struct rate *r, const struct rate_ask *ask, struct rate_party ret[])
{
	struct rate_slot *pinned = NULL;
	bool              found = true;

	for (enum rate_whose i = RATE_KEY; i < RATE_ALL; i++) {
		const struct allowance *a = i == RATE_KEY ? ask->mine : ask->ours;
		int64_t                 key = i == RATE_KEY ? ask->key : ask->group;

		if (key == 0 || !rate_counts(a))
			continue;
		ret[i] = (struct rate_party){
			rate_slot_of(key_table_get(&r->keys, key, ask->now_us)), a
		};
		found = found && ret[i].slot;
		/* The key's entry must not make room for its group's. */
		if (i == RATE_KEY && ret[i].slot) {
			pinned = ret[i].slot;
			pinned->calls++;
		}
	}
	if (pinned)
		pinned->calls--;
	ret[RATE_ALL] = (struct rate_party){ &r->all, ask->all };
	return found;
}

static enum rate_answer rate_take_locked(struct rate *r, const struct rate_ask *ask,
					 struct rate_hold *hold, struct rate_view *view,
					 enum rate_policy *why, enum rate_whose *whose)
{
	struct rate_party p[RATE_WHOSE__COUNT] = { { NULL, NULL } };
	enum rate_answer  rc = rate_find(r, ask, p) ? RATE_TAKEN : RATE_FULL;

	for (enum rate_whose i = RATE_KEY; rc == RATE_TAKEN && i < RATE_WHOSE__COUNT; i++) {
		*whose = i;
		if (p[i].slot)
			rc = rate_check(p[i].slot, p[i].a, ask, why);
	}
	for (enum rate_whose i = RATE_KEY; i < RATE_WHOSE__COUNT; i++) {
		if (rc == RATE_TAKEN && p[i].slot)
			take_all(p[i].slot, p[i].a, ask, i, hold);
		view_of(p[i].slot, p[i].a, ask->now_us, view->of[i]);
	}
	return rc;
}

enum rate_answer rate_take(struct rate *r, const struct rate_ask *ask, struct rate_hold *ret,
			   struct rate_view *view, enum rate_policy *why, enum rate_whose *whose)
{
	*ret = (struct rate_hold){ .slot = { NULL } };
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	pthread_mutex_lock(&r->lock);
	enum rate_answer rc = rate_take_locked(r, ask, ret, view, why, whose);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

static void look_one(const struct rate *r, int64_t key, const struct allowance *a, int64_t now_us,
		     struct rate_left of[RATE_POLICY__COUNT])
{
	if (key != 0 && rate_counts(a))
		view_of(rate_slot_of(key_table_find(&r->keys, key)), a, now_us, of);
}

void rate_look(struct rate *r, const struct rate_ask *ask, struct rate_view *view)
{
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	pthread_mutex_lock(&r->lock);
	look_one(r, ask->key, ask->mine, ask->now_us, view->of[RATE_KEY]);
	look_one(r, ask->group, ask->ours, ask->now_us, view->of[RATE_GROUP]);
	view_of(&r->all, ask->all, ask->now_us, view->of[RATE_ALL]);
	pthread_mutex_unlock(&r->lock);
}

/* --- its end --- */

static void rate_give_window(struct window *w, int64_t from_us, int64_t n)
{
	if (from_us == 0 || w->from_us != from_us)
		return; /* the call belongs to another window */
	w->used += n;
	if (w->used < 0)
		w->used = 0;
}

void rate_give(struct rate *r, struct rate_hold *hold, bool asked, int64_t tokens)
{
	/* The sum stops above every limit and far below 64 bits. */
	static const int64_t most = INT64_C(1000000000000000);

	if (tokens > most)
		tokens = most;
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < RATE_WHOSE__COUNT; i++) {
		struct rate_slot *s = TAKE(hold->slot[i]);

		if (!s)
			continue;
		s->calls--;
		if (!asked)
			rate_give_window(&s->requests, hold->requests_from[i], -1);
		if (!asked || tokens >= 0)
			rate_give_window(&s->tokens, hold->tokens_from[i],
					 (asked ? tokens : 0) - hold->tokens[i]);
	}
	pthread_mutex_unlock(&r->lock);
}
