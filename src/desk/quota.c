/* The shares of this process, in a table with a fixed bound. */
#include "desk/quota.h"

#include "base/list.h"
#include "desk/key_table.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	QUOTA_SPARE_LOOK = 256, /* entries that are looked at for something to give back */
	IDLE_US = 500 * 1000,   /* a share that nobody uses stays for so long */
	DRY_US = 100 * 1000,    /* so long the store's "too little is left" holds */
};

struct share {
	int64_t  window; /* its name at the store; 0: there was none yet */
	int64_t  until_us;
	uint64_t order;   /* number of the store's newest answer: they may come in another order */
	int64_t  limit;   /* the whole limit, of which this is a share */
	int64_t  granted; /* by the store */
	int64_t  used;    /* part of granted; may be more, as tokens are estimated first */
	int64_t  left;    /* at the store, when it answered last */
	int64_t  keep;    /* so much may stay unspent */
	int64_t  used_us; /* when a call took some last */
	int64_t  dry_us;  /* when the store had less than dry_least; 0: it had enough */
	int64_t  dry_least;
	uint32_t epoch;  /* the window's number here */
	uint32_t asking; /* questions that are on their way */
	bool     unsure; /* the store may believe that more was granted */
	bool     told;   /* the store is being told what is kept */
};

struct quota_slot {
	struct key_slot  base;
	struct list_link link;  /* in `open` */
	int64_t          users; /* calls and questions; above 0, the entry stays */
	struct share     shares[RATE_POLICY__COUNT];
};

struct quota {
	pthread_mutex_t   lock;
	struct list_head  open; /* entries that may have something to give back; they stay */
	struct quota_slot all;
	struct key_table  keys;
};

/* An entry's shares must have gone back. */
static enum key_worth quota_worth(const struct key_slot *base, int64_t now_us)
{
	const struct quota_slot *s = container_of(base, const struct quota_slot, base);

	(void)now_us;
	return s->users > 0 || s->link.in ? KEY_STAYS : KEY_IS_OVER;
}

struct quota *quota_create(size_t max_keys)
{
	struct quota *q = calloc(1, sizeof *q);

	if (!q)
		return NULL;
	pthread_mutex_init(&q->lock, NULL);
	key_table_init(&q->keys, sizeof(struct quota_slot), max_keys, quota_worth);
	return q;
}

void quota_destroy(struct quota *q)
{
	if (!q)
		return;
	key_table_finish(&q->keys);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* --- slots --- */

static struct quota_slot *quota_slot_of(struct key_slot *base)
{
	return base ? container_of(base, struct quota_slot, base) : NULL;
}

static struct quota_slot *quota_find(struct quota *q, int64_t key)
{
	return key == 0 ? &q->all : quota_slot_of(key_table_find(&q->keys, key));
}

static void quota_open(struct quota *q, struct quota_slot *s)
{
	if (!s->link.in)
		list_put_back(&q->open, &s->link);
}

/* --- shares --- */

static bool share_is_on(const struct share *s, int64_t now_us)
{
	return s->window != 0 && now_us < s->until_us;
}

static int64_t share_unspent(const struct share *s, int64_t limit, int64_t now_us)
{
	return share_is_on(s, now_us) && s->limit == limit && s->granted > s->used
		       ? s->granted - s->used
		       : 0;
}

/* share_lacks: what a call that needs n lacks, at most 0 if nothing.  What was spent above the share, because tokens
 * are estimated first, is lacking, too: else the store's answer would not suffice. */
static int64_t share_lacks(const struct share *s, int64_t limit, int64_t n, int64_t now_us)
{
	return share_is_on(s, now_us) && s->limit == limit ? n - (s->granted - s->used) : n;
}

/* share_is_dry: whether the store would refuse so much, as far as one can know. */
static bool share_is_dry(const struct share *s, int64_t limit, int64_t least, int64_t now_us)
{
	return share_is_on(s, now_us) && s->limit == limit && s->dry_us != 0 &&
	       least >= s->dry_least && (now_us - s->dry_us < DRY_US || s->asking > 0);
}

/* A call's need of one limit. */
struct need {
	struct share    *share;
	enum rate_whose  whose;
	enum rate_policy policy;
	int64_t          key, limit, window_us, n;
};

struct needs {
	struct need of[SHARE_WANTS];
	size_t      count;
};

static void need_add(struct needs *ns, struct quota_slot *slot, enum rate_whose whose,
		     enum rate_policy policy, int64_t limit, int64_t window_us, int64_t n)
{
	if (limit > 0)
		ns->of[ns->count++] = (struct need){
			.share = slot ? &slot->shares[policy] : NULL,
			.whose = whose,
			.policy = policy,
			.key = slot ? slot->base.key : 0,
			.limit = limit,
			.window_us = window_us,
			.n = n,
		};
}

/* needs_of: in the order in which limits refuse.  slot NULL: it is not known here. */
static void needs_of(struct needs *ns, struct quota_slot *slot, enum rate_whose whose,
		     const struct allowance *a, const struct rate_ask *ask)
{
	/* A call without a maximum takes at most all tokens of a window. */
	int64_t tokens = ask->open && ask->tokens > a->tokens ? a->tokens : ask->tokens;

	need_add(ns, slot, whose, RATE_CALLS, a->concurrent, 0, 1);
	need_add(ns, slot, whose, RATE_REQUESTS, a->requests, a->requests_window_us, 1);
	need_add(ns, slot, whose, RATE_TOKENS, a->tokens, a->tokens_window_us, tokens);
}

static enum rate_answer quota_check(const struct needs *ns, int64_t now_us,
				    const struct need **ret_why)
{
	enum rate_answer rc = RATE_TAKEN;

	for (size_t i = 0; i < ns->count; i++) {
		const struct need *n = &ns->of[i];
		int64_t            least = share_lacks(n->share, n->limit, n->n, now_us);

		*ret_why = n;
		if (n->n > n->limit)
			return RATE_NEVER;
		if (least > 0 && share_is_dry(n->share, n->limit, least, now_us))
			return RATE_REFUSED;
		if (least > 0)
			rc = RATE_SHORT;
	}
	return rc;
}

/* was_forestalled: whether the store has granted all that the call asked for.  If the call lacks something all the
 * same, other calls have spent meanwhile what was here. */
static bool was_forestalled(const struct share_take *take, size_t answers)
{
	for (size_t i = 0; i < answers; i++)
		if (take->wants[i].granted < take->wants[i].least)
			return false;
	return answers > 0;
}

/* quota_want: the questions.  While another one is on its way, nobody asks for more than is needed.  A call that
 * was forestalled asks for all that it needs of each limit, also where what is here would do: then the answer alone
 * suffices, unless a call ends above its estimate meanwhile. */
static void quota_want(struct quota *q, const struct needs *ns, int64_t now_us,
		       struct share_take *take, bool forestalled)
{
	for (size_t i = 0; i < ns->count; i++) {
		const struct need *n = &ns->of[i];
		int64_t            least = share_lacks(n->share, n->limit, n->n, now_us);

		if (forestalled && least < n->n)
			least = n->n;
		if (least <= 0)
			continue;
		take->wants[take->count++] = (struct share_want){
			.key = n->key,
			.policy = n->policy,
			.limit = n->limit,
			.window_ms = n->window_us / 1000,
			.least = least,
			.more = n->share->asking == 0,
		};
		n->share->asking++;
		quota_find(q, n->key)->users++;
	}
}

static void quota_spend(const struct needs *ns, int64_t now_us, struct quota_hold *hold)
{
	for (size_t i = 0; i < ns->count; i++) {
		const struct need *n = &ns->of[i];

		n->share->used += n->n;
		n->share->used_us = now_us;
		hold->epoch[n->whose][n->policy] = n->share->epoch;
		if (n->policy == RATE_TOKENS)
			hold->tokens[n->whose] = n->n;
	}
}

/* --- what the store says --- */

static void share_begin(struct share *s, const struct share_want *x)
{
	s->window = x->window;
	s->granted = s->used = 0;
	s->epoch += s->epoch == UINT32_MAX ? 2 : 1;
	s->unsure = false;
}

static void share_answer(struct share *s, const struct share_want *x, const struct share_take *take,
			 int64_t now_us)
{
	int64_t until_us = x->window_ms == 0 ? INT64_MAX : take->asked_us + x->rest_ms * 1000;
	bool    newest = take->order >= s->order;

	if (!newest && x->window != s->window)
		return; /* from the last window */
	if (x->window != s->window) {
		share_begin(s, x);
	} else if (s->limit != x->limit && s->granted > s->used) {
		s->granted = s->used; /* the rest was of the old limit */
		s->unsure = true;
	}
	s->limit = x->limit;
	s->granted += x->granted;
	if (!newest)
		return;
	s->order = take->order;
	s->left = x->left;
	s->keep = x->keep;
	/* The store was slow: the call that has asked may have its share all the same. */
	s->until_us = until_us > now_us ? until_us : now_us + 1;
	s->dry_us = x->granted < x->least ? now_us : 0;
	s->dry_least = x->least;
}

static void quota_answer_locked(struct quota *q, struct share_take *take, int64_t now_us)
{
	for (size_t i = 0; i < take->count; i++) {
		const struct share_want *x = &take->wants[i];
		struct quota_slot       *slot = quota_find(q, x->key);
		struct share            *s = &slot->shares[x->policy];

		s->asking--;
		slot->users--;
		if (take->job.err.code == ERR_OK)
			share_answer(s, x, take, now_us);
		else
			s->unsure = true;
		quota_open(q, slot);
	}
	take->count = 0;
}

/* --- a call --- */

static void quota_view_one(const struct need *n, int64_t now_us, struct rate_view *view)
{
	const struct share *s = n->share;
	struct rate_left   *l = &view->of[n->whose][n->policy];

	*l = (struct rate_left){
		.limit = n->limit, .left = -1, .window_us = n->window_us, .reset_us = n->window_us
	};
	if (!s || !share_is_on(s, now_us) || s->limit != n->limit)
		return;
	l->left = (s->left > 0 ? s->left : 0) + share_unspent(s, n->limit, now_us);
	if (n->window_us > 0)
		l->reset_us = s->until_us - now_us;
}

static void quota_view(const struct needs *ns, int64_t now_us, struct rate_view *view)
{
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	for (size_t i = 0; i < ns->count; i++)
		quota_view_one(&ns->of[i], now_us, view);
}

/* quota_view_answers: a call that has asked is told what was left for it, also if others were answered before. */
static void quota_view_answers(const struct needs *ns, const struct share_take *take, size_t count,
			       struct rate_view *view)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < ns->count; k++) {
			const struct share_want *x = &take->wants[i];
			const struct need       *n = &ns->of[k];
			int64_t                  left = x->left + x->granted - x->least;

			if (x->key == n->key && x->policy == n->policy &&
			    view->of[n->whose][n->policy].left < left)
				view->of[n->whose][n->policy].left = left;
		}
}

static bool quota_counts(const struct allowance *a)
{
	return a && (a->requests > 0 || a->tokens > 0 || a->concurrent > 0);
}

/* quota_slots: the entries of the key and of its group, where these have limits; false: there is no room. */
static bool quota_slots(struct quota *q, const struct rate_ask *ask, struct quota_slot *ret[])
{
	bool mine = ask->key != 0 && quota_counts(ask->mine);
	bool ours = ask->group != 0 && quota_counts(ask->ours);

	if (mine)
		ret[RATE_KEY] = quota_slot_of(key_table_get(&q->keys, ask->key, ask->now_us));
	if (ours && ret[RATE_KEY])
		ret[RATE_KEY]->users++; /* it must not make room for the group's */
	if (ours)
		ret[RATE_GROUP] = quota_slot_of(key_table_get(&q->keys, ask->group, ask->now_us));
	if (ours && ret[RATE_KEY])
		ret[RATE_KEY]->users--;
	return (ret[RATE_KEY] || !mine) && (ret[RATE_GROUP] || !ours);
}

static enum rate_answer quota_take_locked(struct quota *q, const struct rate_ask *ask,
					  struct share_take *take, struct quota_hold *hold,
					  struct rate_view *view, const struct need **ret_why,
					  struct needs *ns)
{
	struct quota_slot *slots[RATE_WHOSE__COUNT] = { [RATE_ALL] = &q->all };
	bool               found = quota_slots(q, ask, slots);
	size_t             answers = take->job.err.code == ERR_OK ? take->count : 0;

	quota_answer_locked(q, take, ask->now_us);
	if (!found)
		return RATE_FULL;
	if (slots[RATE_KEY])
		needs_of(ns, slots[RATE_KEY], RATE_KEY, ask->mine, ask);
	if (slots[RATE_GROUP])
		needs_of(ns, slots[RATE_GROUP], RATE_GROUP, ask->ours, ask);
	needs_of(ns, &q->all, RATE_ALL, ask->all, ask);
	enum rate_answer rc = quota_check(ns, ask->now_us, ret_why);
	if (rc == RATE_SHORT)
		quota_want(q, ns, ask->now_us, take, was_forestalled(take, answers));
	if (rc == RATE_TAKEN) {
		quota_spend(ns, ask->now_us, hold);
		for (size_t i = 0; i < RATE_WHOSE__COUNT; i++) {
			hold->slot[i] = slots[i];
			if (slots[i])
				slots[i]->users++;
		}
	}
	quota_view(ns, ask->now_us, view);
	if (rc == RATE_TAKEN)
		quota_view_answers(ns, take, answers, view);
	return rc;
}

enum rate_answer quota_take(struct quota *q, const struct rate_ask *ask, struct share_take *take,
			    struct quota_hold *ret, struct rate_view *view, enum rate_policy *why,
			    enum rate_whose *whose)
{
	struct needs       ns = { .count = 0 };
	const struct need *n = NULL;

	*ret = (struct quota_hold){ .slot = { NULL } };
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	pthread_mutex_lock(&q->lock);
	enum rate_answer rc = quota_take_locked(q, ask, take, ret, view, &n, &ns);
	pthread_mutex_unlock(&q->lock);
	if (rc != RATE_REFUSED && rc != RATE_NEVER)
		return rc;
	*why = n->policy;
	*whose = n->whose;
	/* A later call may have found more. */
	struct rate_left *l = &view->of[n->whose][n->policy];
	if (rc == RATE_REFUSED && l->left >= n->n)
		l->left = n->n - 1;
	return rc;
}

void quota_answer(struct quota *q, struct share_take *take, int64_t now_us)
{
	pthread_mutex_lock(&q->lock);
	quota_answer_locked(q, take, now_us);
	pthread_mutex_unlock(&q->lock);
}

void quota_look(struct quota *q, const struct rate_ask *ask, struct rate_view *view)
{
	struct needs ns = { .count = 0 };

	pthread_mutex_lock(&q->lock);
	if (ask->key != 0 && quota_counts(ask->mine))
		needs_of(&ns, quota_find(q, ask->key), RATE_KEY, ask->mine, ask);
	if (ask->group != 0 && quota_counts(ask->ours))
		needs_of(&ns, quota_find(q, ask->group), RATE_GROUP, ask->ours, ask);
	needs_of(&ns, &q->all, RATE_ALL, ask->all, ask);
	quota_view(&ns, ask->now_us, view);
	pthread_mutex_unlock(&q->lock);
}

/* --- its end --- */

static void share_return(struct share *s, uint32_t epoch, int64_t n)
{
	if (epoch == 0 || s->epoch != epoch)
		return; /* the call belongs to another window */
	s->used += n;
	if (s->used < 0)
		s->used = 0;
}

void quota_give(struct quota *q, struct quota_hold *hold, bool asked, int64_t tokens)
{
	/* The sum stops above every limit and far below 64 bits. */
	static const int64_t most = INT64_C(1000000000000000);

	if (tokens > most)
		tokens = most;
	pthread_mutex_lock(&q->lock);
	for (size_t i = 0; i < RATE_WHOSE__COUNT; i++) {
		struct quota_slot *s = TAKE(hold->slot[i]);

		if (!s)
			continue;
		s->users--;
		share_return(&s->shares[RATE_CALLS], hold->epoch[i][RATE_CALLS], -1);
		if (!asked)
			share_return(&s->shares[RATE_REQUESTS], hold->epoch[i][RATE_REQUESTS], -1);
		if (!asked || tokens >= 0)
			share_return(&s->shares[RATE_TOKENS], hold->epoch[i][RATE_TOKENS],
				     (asked ? tokens : 0) - hold->tokens[i]);
		quota_open(q, s);
	}
	pthread_mutex_unlock(&q->lock);
}

/* --- what goes back --- */

/* share_shrink: whether the store must be told what is kept. */
static bool share_shrink(struct share *s, bool all, int64_t now_us)
{
	int64_t keep = all || now_us - s->used_us >= IDLE_US ? 0 : s->keep;
	int64_t granted = s->granted;

	if (granted - s->used > keep)
		s->granted = s->used + keep;
	else if (granted < s->used)
		s->granted = s->used;
	s->left += granted - s->granted;
	return granted != s->granted || s->unsure;
}

/* spare_one: *ret_open: there is, or will be, something else to say about the share. */
static bool spare_one(struct share *s, enum rate_policy policy, bool all, int64_t now_us,
		      bool *ret_open)
{
	s->told = false;
	if (s->asking > 0) {
		*ret_open = true;
		return false;
	}
	/* A share whose window is over needs no word; one that runs does, even if its beginning was not
	 * answered. */
	if (policy != RATE_CALLS && !share_is_on(s, now_us)) {
		s->unsure = false;
		return false;
	}
	if (share_shrink(s, all, now_us)) {
		s->unsure = false;
		s->told = true;
	}
	*ret_open = *ret_open || s->told || s->granted > s->used;
	return s->told;
}

/* spare_slot: adds to ret, which has room for all shares of a slot. */
static size_t spare_slot(struct quota *q, struct quota_slot *slot, struct share_keep *ret, bool all,
			 int64_t now_us)
{
	size_t count = 0;
	bool   open = false;

	for (enum rate_policy p = 0; p < RATE_POLICY__COUNT; p++) {
		struct share *s = &slot->shares[p];

		if (spare_one(s, p, all, now_us, &open))
			ret[count++] =
				(struct share_keep){ slot->base.key, p, s->window, s->granted };
	}
	list_take_out(&slot->link);
	if (open)
		list_put_back(&q->open, &slot->link);
	return count;
}

/* spare_again: what was told last is not known there. */
static void spare_again(struct quota *q)
{
	LIST_EACH (slot, &q->open, struct quota_slot, link)
		for (size_t i = 0; i < RATE_POLICY__COUNT; i++)
			slot->shares[i].unsure |= slot->shares[i].told;
}

size_t quota_spare(struct quota *q, struct share_keep *ret, size_t max, bool again, bool all,
		   int64_t now_us)
{
	size_t count = 0;

	pthread_mutex_lock(&q->lock);
	if (again)
		spare_again(q);
	struct quota_slot *last = LIST_ITEM(q->open.last, struct quota_slot, link);
	struct quota_slot *slot = NULL;
	for (size_t seen = 0;
	     slot != last && seen < QUOTA_SPARE_LOOK && count + RATE_POLICY__COUNT <= max; seen++) {
		slot = LIST_FIRST(&q->open, struct quota_slot, link);
		count += spare_slot(q, slot, ret + count, all, now_us);
	}
	pthread_mutex_unlock(&q->lock);
	return count;
}
