/* Places for calls, and the queue of waiting calls. */
#include "desk/admit.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/metric.h"
#include "store/store.h"

#include <pthread.h>
#include <stdlib.h>

enum { IDLE, ASKING, WAITING, GRANTED, DRAINED, LEFT };
enum {
	QUESTIONS = 8, /* to the store, that other calls may make useless near a limit's end */
	PATIENCE = 3,  /* an end elsewhere is told to the store 20 times a second */
	AGAIN_US = 100 * 1000,
	ANSWER_US = 2500 * 1000
};

static struct {
	pthread_mutex_t  lock;
	int64_t          calls;
	int64_t          max_calls; /* settings of the last call */
	int64_t          waiting;
	size_t           bytes;
	bool             draining;
	struct list_head waits;
} desk = { .lock = PTHREAD_MUTEX_INITIALIZER };

union admit_hold {
	struct rate_hold  rate;
	struct quota_hold quota; /* after admit_share */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rate   *rate; /* lives as long as the process */
/* Set before the first call; NULL: this process has its limits alone.  The same. */
static struct quota *quota;
static struct store *quota_store;

static void make_rate(void)
{
	rate = rate_create(LIMIT_RATE_KEYS);
}

static bool has_rate(void)
{
	return pthread_once(&once, make_rate) == 0 && rate;
}

/* --- what is said to whom is refused --- */

static const char *const policies[RATE_WHOSE__COUNT][RATE_POLICY__COUNT] = {
	[RATE_KEY] = { "requests", "tokens", "concurrent" },
	[RATE_GROUP] = { "group-requests", "group-tokens", "group-concurrent" },
	[RATE_ALL] = { "all-requests", "all-tokens", "all-concurrent" },
};

static void refuse_tokens(const struct rate_left *left, const char *whose, int64_t tokens,
			  bool never, const char *time, long long seconds, struct err *e)
{
	if (never)
		err_set(e, ERR_RATE_LIMIT_NEVER, "",
			"this call may take %lld tokens, and %s may use %lld in %s; make it shorter, or ask "
			"for fewer tokens",
			(long long)tokens, whose, (long long)left->limit, time);
	else
		err_set(e, ERR_RATE_LIMIT, "",
			"this call may take %lld tokens; of the %lld in %s that %s may use, %lld are left; "
			"try again in %lld s",
			(long long)tokens, (long long)left->limit, time, whose,
			(long long)left->left, seconds);
	str_copy(e->type, sizeof e->type, STR("tokens"));
}

static void admit_refuse(const struct rate_view *view, enum rate_policy why, enum rate_whose whose,
			 bool never, int64_t tokens, struct err *e)
{
	const struct rate_left *left = &view->of[whose][why];
	const char *who = quota ? "all callers together" : "all callers of this gateway together";
	char        time[32] = "";
	struct buf  text;

	if (whose == RATE_KEY)
		who = "this API key";
	else if (whose == RATE_GROUP)
		who = "the group of this API key";
	buf_init(&text, sizeof time);
	if (left->window_us > 0 && allowance_put_time(&text, left->window_us))
		str_copy(time, sizeof time, buf_view(&text));
	buf_finish(&text);
	metric_add(METRIC_RATE_LIMITED, (const char *[]){ policies[whose][why], "", "" }, 1);

	long long seconds = (long long)((left->reset_us + 999999) / 1000000);
	switch (why) {
	case RATE_REQUESTS:
		err_set(e, ERR_RATE_LIMIT, "",
			"%s may ask models %lld times in %s, and that is used up; "
			"try again in %lld s",
			who, (long long)left->limit, time, seconds);
		break;
	case RATE_TOKENS: refuse_tokens(left, who, tokens, never, time, seconds, e); break;
	case RATE_CALLS:
	case RATE_POLICY__COUNT:
		err_set(e, ERR_RATE_LIMIT, "",
			"%s may have %lld calls at once, and all of them are running", who,
			(long long)left->limit);
		break;
	}
	if (whose != RATE_ALL)
		err_at(e, whose == RATE_KEY ? "key" : "group");
	if (!never)
		e->retry_after_ms = why == RATE_CALLS ? 1000 : left->reset_us / 1000 + 1;
}

static enum admit_answer admit_overloaded(const char *reason, const char *text, struct err *e)
{
	metric_add(METRIC_OVERLOADED, (const char *[]){ reason, "", "" }, 1);
	err_set(e, ERR_OVERLOADED, "", "%s", text);
	e->retry_after_ms = 1000;
	return ADMIT_REFUSED;
}

static void admit_drained(struct err *e)
{
	metric_add(METRIC_OVERLOADED, (const char *[]){ "draining", "", "" }, 1);
	err_set(e, ERR_DRAINING, "", "the gateway is stopping");
}

/* --- the list; all of it locked --- */

static void admit_unlist(struct admit_wait *w)
{
	list_take_out(&w->link);
	desk.waiting--;
	desk.bytes -= w->bytes;
}

static void enlist_wait(struct admit_wait *w)
{
	list_put_back(&desk.waits, &w->link);
	desk.waiting++;
	desk.bytes += w->bytes;
}

/* admit_fill: gives free places to the calls that have waited longest. */
static void admit_fill(void)
{
	while (desk.waits.first && desk.calls < desk.max_calls) {
		struct admit_wait *w = LIST_FIRST(&desk.waits, struct admit_wait, link);

		admit_unlist(w);
		desk.calls++;
		w->pass.in = true;
		w->state = GRANTED;
		loop_post(w->loop, &w->task);
	}
}

static void leave_place(struct admit_pass *p)
{
	pthread_mutex_lock(&desk.lock);
	if (p->in)
		desk.calls--;
	p->in = false;
	admit_fill();
	pthread_mutex_unlock(&desk.lock);
}

/* --- a waiter's loop --- */

static void admit_on_task(struct task *t)
{
	struct admit_wait *w = container_of(t, struct admit_wait, task);
	struct err         e;
	unsigned           state = w->state; /* settled: the call is in no list any more */

	w->state = IDLE;
	timer_stop(w->loop, &w->timer);
	if (state == LEFT) {
		w->gone(w);
		return;
	}
	metric_observe(METRIC_QUEUE_WAIT, (const char *[]){ "", "", "" },
		       clock_mono_us() - w->since_us);
	if (state == GRANTED) {
		w->fn(w, NULL);
		return;
	}
	admit_over(&w->pass, false, 0);
	admit_drained(&e);
	w->fn(w, &e);
}

static void admit_on_timer(struct timer *t)
{
	struct admit_wait *w = container_of(t, struct admit_wait, timer);
	struct err         e;

	pthread_mutex_lock(&desk.lock);
	bool mine = w->state == WAITING;
	if (mine) {
		admit_unlist(w);
		w->state = IDLE;
	}
	pthread_mutex_unlock(&desk.lock);
	if (!mine)
		return; /* the task was posted */
	metric_observe(METRIC_QUEUE_WAIT, (const char *[]){ "", "", "" },
		       clock_mono_us() - w->since_us);
	admit_over(&w->pass, false, 0);
	(void)admit_overloaded(
		"wait", "all places for calls are taken, and none became free in time; try again",
		&e);
	w->fn(w, &e);
}

bool admit_leave(struct admit_wait *w)
{
	pthread_mutex_lock(&desk.lock);
	unsigned was = w->state;
	if (was == WAITING) {
		admit_unlist(w);
		w->state = IDLE;
	} else if (was == GRANTED || was == DRAINED || was == ASKING) {
		w->state = LEFT;
	}
	pthread_mutex_unlock(&desk.lock);
	timer_stop(w->loop, &w->timer);
	admit_over(&w->pass, false, 0);
	return was == WAITING || was == IDLE;
}

/* --- in and out --- */

/* admit_find_place: admits the call, adds it to the list, or says why not. */
static enum admit_answer admit_find_place(const struct admit_ask *ask, struct admit_wait *w,
					  struct err *e)
{
	const struct admit_settings *now = ask->now;
	const char                  *full = NULL;
	bool                         draining, in;

	pthread_mutex_lock(&desk.lock);
	desk.max_calls = now->max_calls;
	admit_fill(); /* a reload may have made room */
	draining = desk.draining;
	in = !desk.waits.first && desk.calls < now->max_calls;
	if (in) {
		desk.calls++;
		w->pass.in = true;
	} else if (desk.waiting >= now->max_waiting) {
		full = "all places for calls are taken, and as many wait as may; try again";
	} else if (ask->bytes > LIMIT_WAITING_BYTES - desk.bytes) {
		full = "all places for calls are taken, and what waits takes all the memory it may; try again";
	} else if (!draining) {
		enlist_wait(w);
		w->state = WAITING;
	}
	pthread_mutex_unlock(&desk.lock);
	if (in)
		return ADMIT_IN;
	if (full)
		return admit_overloaded("full", full, e);
	if (!draining)
		return ADMIT_WAITS;
	admit_drained(e);
	return ADMIT_REFUSED;
}

static bool is_free(const struct allowance *a)
{
	return a->requests == 0 && a->tokens == 0 && a->concurrent == 0;
}

/* no_limits: neither the caller nor its group has one. */
static bool no_limits(const struct identity *who)
{
	return (who->number == 0 || is_free(&who->allowance)) &&
	       (!who->group || is_free(&who->group->allowance));
}

static struct rate_ask rate_ask_of(const struct admit_ask *ask)
{
	const struct identity_group *group = ask->who->group;

	return (struct rate_ask){
		.key = ask->who->number,
		.group = group ? group->number : 0,
		.mine = &ask->who->allowance,
		.ours = group ? &group->allowance : NULL,
		.all = &ask->now->limits,
		.tokens = ask->tokens,
		.open = ask->open,
		.now_us = clock_mono_us(),
	};
}

static bool refuse_rate(enum rate_answer rc, const struct rate_view *view, enum rate_policy why,
			enum rate_whose whose, int64_t tokens, struct err *e)
{
	if (rc == RATE_FULL)
		(void)admit_overloaded("memory", "no memory to count this call; try again", e);
	else if (rc != RATE_TAKEN)
		admit_refuse(view, why, whose, rc == RATE_NEVER, tokens, e);
	return rc == RATE_TAKEN;
}

/* hold_keep: what was taken becomes the call's; false: no memory. */
static bool hold_keep(struct admit_pass *p, const union admit_hold *hold)
{
	p->hold = malloc(sizeof *p->hold);
	if (p->hold)
		*p->hold = *hold;
	return p->hold;
}

/* take_rate: without any limit, nothing is counted. */
static bool take_rate(const struct admit_ask *ask, struct admit_pass *p, struct rate_view *view,
		      struct err *e)
{
	enum rate_policy why = RATE_REQUESTS;
	enum rate_whose  whose = RATE_KEY;
	struct rate_ask  r = rate_ask_of(ask);
	union admit_hold hold;

	*p = (struct admit_pass){ .in = false };
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	if (is_free(r.all) && no_limits(ask->who))
		return true;
	enum rate_answer rc =
		has_rate() ? rate_take(rate, &r, &hold.rate, view, &why, &whose) : RATE_FULL;
	if (rc == RATE_TAKEN && !hold_keep(p, &hold)) {
		rate_give(rate, &hold.rate, false, 0);
		rc = RATE_FULL;
	}
	return refuse_rate(rc, view, why, whose, ask->tokens, e);
}

/* admit_queue: the queue for a place, after the limits. */
static enum admit_answer admit_queue(const struct admit_ask *ask, struct admit_wait *w,
				     struct err *e)
{
	w->loop = ask->loop;
	w->bytes = ask->bytes;
	w->since_us = clock_mono_us();
	w->task.fn = admit_on_task;
	w->timer.fn = admit_on_timer;
	w->state = IDLE;

	enum admit_answer rc = admit_find_place(ask, w, e);
	if (rc == ADMIT_REFUSED)
		admit_over(&w->pass, false, 0);
	else if (rc == ADMIT_WAITS)
		timer_start(w->loop, &w->timer, ask->now->wait_us);
	return rc;
}

/* --- limits that are shared --- */

/* A call that waits for the store's shares. */
struct errand {
	struct share_take     take;
	struct timer          timer; /* for the store's answer, or to ask again */
	struct admit_ask      ask;   /* with `now` below, which a reload does not take away */
	struct admit_settings now;
	struct admit_wait    *w; /* NULL: it was answered without the store */
	unsigned              questions, patience;
};

static void errand_on_answer(struct store_job *job);
static void errand_on_timer(struct timer *t);

/* errand_ask: ADMIT_WAITS: the store was asked. */
static enum admit_answer errand_ask(struct errand *x, struct err *e)
{
	bool often = ++x->questions > QUESTIONS;

	x->take.job = (struct store_job){ .loop = x->ask.loop, .done = errand_on_answer };
	x->take.asked_us = clock_mono_us();
	if (!often && store_share_take(quota_store, &x->take)) {
		timer_start(x->ask.loop, &x->timer, ANSWER_US);
		return ADMIT_WAITS;
	}
	x->take.job.err.code = ERR_OVERLOADED;
	quota_answer(quota, &x->take, x->take.asked_us);
	return admit_overloaded("limits", "too many calls ask for their limits; try again", e);
}

/* errand_take: ADMIT_IN: the call is within its limits; ADMIT_WAITS: the errand goes on. */
static enum admit_answer errand_take(struct errand *x, struct rate_view *view, struct err *e)
{
	enum rate_policy why = RATE_REQUESTS;
	enum rate_whose  whose = RATE_KEY;
	struct rate_ask  r = rate_ask_of(&x->ask);
	union admit_hold hold;
	enum rate_answer rc = quota_take(quota, &r, &x->take, &hold.quota, view, &why, &whose);

	if (rc == RATE_TAKEN && !hold_keep(&x->w->pass, &hold)) {
		quota_give(quota, &hold.quota, false, 0);
		rc = RATE_FULL;
	}
	if (rc == RATE_SHORT)
		return errand_ask(x, e);
	if (rc == RATE_REFUSED && why == RATE_CALLS && x->patience++ < PATIENCE) {
		x->questions = 0;
		timer_start(x->ask.loop, &x->timer, AGAIN_US);
		return ADMIT_WAITS;
	}
	return refuse_rate(rc, view, why, whose, x->ask.tokens, e) ? ADMIT_IN : ADMIT_REFUSED;
}

static void errand_refuse(struct errand *x, const struct err *e)
{
	struct admit_wait *w = TAKE(x->w);
	struct rate_view   view;
	struct rate_ask    r = rate_ask_of(&x->ask);

	quota_look(quota, &r, &view);
	w->state = IDLE;
	w->told(w, &view);
	w->fn(w, e);
}

static void errand_end(struct errand *x)
{
	struct admit_wait *w = x->w;

	if (x->take.count > 0)
		quota_answer(quota, &x->take, clock_mono_us());
	free(x);
	if (w)
		w->gone(w);
}

static void errand_go_on(struct errand *x)
{
	struct admit_wait *w = x->w;
	struct rate_view   view;
	struct err         e;

	enum admit_answer rc = errand_take(x, &view, &e);
	if (rc == ADMIT_WAITS)
		return;
	w->state = IDLE;
	w->told(w, &view);
	if (rc == ADMIT_IN)
		rc = admit_queue(&x->ask, w, &e);
	free(x);
	if (rc != ADMIT_WAITS)
		w->fn(w, rc == ADMIT_IN ? NULL : &e);
}

static void errand_on_answer(struct store_job *job)
{
	struct errand *x = container_of(job, struct errand, take.job);

	timer_stop(x->ask.loop, &x->timer);
	if (x->w && x->w->state != LEFT && job->err.code != ERR_OK)
		errand_refuse(x, &job->err);
	if (x->w && x->w->state != LEFT)
		errand_go_on(x);
	else
		errand_end(x);
}

static void errand_on_timer(struct timer *t)
{
	struct errand *x = container_of(t, struct errand, timer);
	struct err     e;

	if (x->take.count > 0) { /* the store may still answer */
		err_set(&e, ERR_STORAGE, "",
			"the limits of this call are in the database, which does not answer; try again later");
		e.retry_after_ms = 2000;
		if (x->w->state != LEFT)
			errand_refuse(x, &e);
	} else if (x->w->state == LEFT) {
		errand_end(x);
	} else {
		errand_go_on(x);
	}
}

/* errand_start: most calls find their shares here, and their errand is over at once. */
static enum admit_answer errand_start(const struct admit_ask *ask, struct admit_wait *w,
				      struct rate_view *view, struct err *e)
{
	struct errand *x;

	w->pass = (struct admit_pass){ .in = false };
	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	if (is_free(&ask->now->limits) && no_limits(ask->who))
		return admit_queue(ask, w, e);
	x = calloc(1, sizeof *x);
	if (!x)
		return admit_overloaded("memory", "no memory to count this call; try again", e);
	x->ask = *ask;
	x->now = *ask->now;
	x->ask.now = &x->now;
	x->w = w;
	x->timer.fn = errand_on_timer;
	w->loop = ask->loop;
	w->state = ASKING;
	enum admit_answer rc = errand_take(x, view, e);
	if (rc == ADMIT_WAITS) {
		*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
		return ADMIT_WAITS;
	}
	w->state = IDLE;
	free(x);
	return rc == ADMIT_IN ? admit_queue(ask, w, e) : rc;
}

bool admit_share(struct store *s)
{
	pthread_mutex_lock(&desk.lock);
	quota_store = s;
	quota = quota_create(LIMIT_RATE_KEYS);
	bool ok = quota;
	pthread_mutex_unlock(&desk.lock);
	return ok;
}

size_t admit_spare(struct share_keep *ret, size_t max, bool again)
{
	pthread_mutex_lock(&desk.lock);
	struct quota *q = quota;
	bool          all = desk.draining;
	pthread_mutex_unlock(&desk.lock);
	return q ? quota_spare(q, ret, max, again, all, clock_mono_us()) : 0;
}

enum admit_answer admit_enter(const struct admit_ask *ask, struct admit_wait *w,
			      struct rate_view *view, struct err *e)
{
	if (quota)
		return errand_start(ask, w, view, e);
	return take_rate(ask, &w->pass, view, e) ? admit_queue(ask, w, e) : ADMIT_REFUSED;
}

void admit_over(struct admit_pass *p, bool asked, int64_t tokens)
{
	union admit_hold *hold = TAKE(p->hold);

	if (hold && quota)
		quota_give(quota, &hold->quota, asked, tokens);
	else if (hold)
		rate_give(rate, &hold->rate, asked, tokens);
	free(hold);
	if (p->in)
		leave_place(p);
}

void admit_look(const struct admit_settings *now, const struct identity *who,
		struct rate_view *view)
{
	struct rate_ask r = rate_ask_of(&(struct admit_ask){ .now = now, .who = who });

	*view = (struct rate_view){ .of = { { { .limit = 0 } } } };
	if (quota)
		quota_look(quota, &r, view);
	else if (has_rate())
		rate_look(rate, &r, view);
}

bool admit_counts_tokens(const struct admit_settings *now, const struct identity *who)
{
	return now->limits.tokens > 0 || who->allowance.tokens > 0 ||
	       (who->group && who->group->allowance.tokens > 0);
}

void admit_drain(void)
{
	pthread_mutex_lock(&desk.lock);
	desk.draining = true;
	while (desk.waits.first) {
		struct admit_wait *w = LIST_FIRST(&desk.waits, struct admit_wait, link);

		admit_unlist(w);
		w->state = DRAINED;
		loop_post(w->loop, &w->task);
	}
	pthread_mutex_unlock(&desk.lock);
}

void admit_stats(struct admit_stats *ret)
{
	pthread_mutex_lock(&desk.lock);
	*ret = (struct admit_stats){ desk.calls, desk.waiting };
	pthread_mutex_unlock(&desk.lock);
}
