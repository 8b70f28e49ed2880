/* Shares of limits: what processes spend is never more than the store has handed out, whatever the order of calls,
 * answers, ends and failures. */
#include "desk/quota.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000)

static const struct allowance none;

/* --- a store with one limit --- */

struct server {
	pthread_mutex_t lock;
	int64_t         began_us, taken[4]; /* by process */
	int64_t         granted;            /* all that was ever handed out in this window */
	uint64_t        order;
	int             processes;
};

static struct server new_server(int processes)
{
	return (struct server){ .lock = PTHREAD_MUTEX_INITIALIZER, .processes = processes };
}

static void serve(struct server *s, int process, struct share_take *t, int64_t now_us)
{
	pthread_mutex_lock(&s->lock);
	t->job.err = (struct err){ .code = ERR_OK };
	t->order = ++s->order;
	for (size_t i = 0; i < t->count; i++) {
		struct share_want *x = &t->wants[i];

		if (x->window_ms > 0 && now_us - s->began_us >= x->window_ms * 1000) {
			s->began_us = now_us;
			s->granted = 0;
			memset(s->taken, 0, sizeof s->taken);
		}
		int64_t left = x->limit;
		for (int k = 0; k < s->processes; k++)
			left -= s->taken[k];
		x->keep = x->limit < 16 * s->processes || left < 0 ? 0 : left / (4 * s->processes);
		x->granted = left < x->least                 ? 0
			     : x->more && x->keep > x->least ? x->keep
							     : x->least;
		s->taken[process] += x->granted;
		s->granted += x->granted;
		x->left = left - x->granted;
		x->window = x->window_ms > 0 ? s->began_us : 99;
		x->rest_ms = (s->began_us + x->window_ms * 1000 - now_us) / 1000;
	}
	pthread_mutex_unlock(&s->lock);
}

/* A server for each of a key's limits. */
static void serve_each(struct server of[], struct share_take *t, int64_t now_us)
{
	for (size_t i = 0; i < t->count; i++) {
		struct share_take one = { .asked_us = t->asked_us,
					  .count = 1,
					  .wants = { t->wants[i] } };

		serve(&of[t->wants[i].policy], 0, &one, now_us);
		t->wants[i] = one.wants[0];
		t->order = one.order;
	}
}

static size_t tell(struct server *s, int process, struct quota *q, bool all, int64_t now_us)
{
	struct share_keep keep[SHARE_KEEPS];

	pthread_mutex_lock(&s->lock);
	size_t n = quota_spare(q, keep, SHARE_KEEPS, false, all, now_us);
	for (size_t i = 0; i < n; i++)
		s->taken[process] = keep[i].taken;
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* --- calls --- */

struct call {
	struct quota_hold hold;
	struct share_take take;
	struct rate_view  view;
	enum rate_policy  why;
	enum rate_whose   whose;
};

static enum rate_answer try(struct quota *q, struct call *c, const struct allowance *mine,
			    int64_t tokens, int64_t now_us)
{
	return quota_take(
		q,
		&(struct rate_ask){
			.key = 7, .mine = mine, .all = &none, .tokens = tokens, .now_us = now_us },
		&c->take, &c->hold, &c->view, &c->why, &c->whose);
}

/* A whole call's beginning, with the store's answers at once. */
static enum rate_answer enter(struct quota *q, struct server *s, int process, struct call *c,
			      const struct allowance *mine, int64_t tokens, int64_t now_us)
{
	*c = (struct call){ .take.count = 0 };
	enum rate_answer rc = try(q, c, mine, tokens, now_us);
	if (rc != RATE_SHORT)
		return rc;
	c->take.asked_us = now_us;
	serve(s, process, &c->take, now_us);
	return try(q, c, mine, tokens, now_us);
}

static void a_share_is_spent_before_the_store_is_asked(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(2);
	struct allowance a = { .requests = 80, .requests_window_us = 3600 * SECOND };
	struct call      c;

	assert_non_null(q);
	assert_int_equal(try(q, &(struct call){ .take.count = 0 }, &none, 0, 1), RATE_TAKEN);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 3600 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 10); /* 80 / (4 * 2) */
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 79);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].reset_us, 3600 * SECOND);
	for (int i = 0; i < 9; i++) {
		c = (struct call){ .take.count = 0 };
		assert_int_equal(try(q, &c, &a, 0, 3601 * SECOND), RATE_TAKEN);
	}
	c = (struct call){ .take.count = 0 };
	assert_int_equal(try(q, &c, &a, 0, 3601 * SECOND), RATE_SHORT);
	assert_int_equal(c.take.count, 1);
	assert_int_equal(c.take.wants[0].key, 7);
	assert_int_equal(c.take.wants[0].least, 1);
	assert_true(c.take.wants[0].more);
	/* Another one asks for no share meanwhile. */
	struct call d = { .take.count = 0 };
	assert_int_equal(try(q, &d, &a, 0, 3601 * SECOND), RATE_SHORT);
	assert_false(d.take.wants[0].more);
	quota_answer(q, &c.take, 3601 * SECOND);
	quota_answer(q, &d.take, 3601 * SECOND);
	quota_destroy(q);
}

static void what_the_store_lacks_is_refused_for_a_moment(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .requests = 2, .requests_window_us = 10 * SECOND };
	struct call      c;

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 20 * SECOND), RATE_TAKEN);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 1);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 20 * SECOND), RATE_TAKEN);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 24 * SECOND), RATE_REFUSED);
	assert_int_equal(c.why, RATE_REQUESTS);
	assert_int_equal(c.whose, RATE_KEY);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 0);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].reset_us, 6 * SECOND);
	/* The store is not asked each time, */
	c = (struct call){ .take.count = 0 };
	assert_int_equal(try(q, &c, &a, 0, 24 * SECOND + 99000), RATE_REFUSED);
	/* but again a moment later, and with another limit, and in the next window. */
	assert_int_equal(try(q, &c, &a, 0, 24 * SECOND + 100000), RATE_SHORT);
	quota_answer(q, &c.take, 24 * SECOND);
	struct allowance more = { .requests = 3, .requests_window_us = 10 * SECOND };
	assert_int_equal(enter(q, &s, 0, &c, &more, 0, 24 * SECOND), RATE_TAKEN);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 30 * SECOND), RATE_TAKEN);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 1);
	quota_destroy(q);
}

/* An old limit's share is of no use for a smaller one. */
static void a_smaller_limit_counts_what_was_spent(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance large = { .requests = 100, .requests_window_us = 100 * SECOND };
	struct allowance small = { .requests = 20, .requests_window_us = 100 * SECOND };
	struct call      c;
	int              passed = 1;

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c, &large, 0, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 25);
	assert_int_equal(enter(q, &s, 0, &c, &small, 0, 200 * SECOND), RATE_REFUSED);
	assert_int_equal(tell(&s, 0, q, false, 200 * SECOND), 1);
	assert_int_equal(s.taken[0], 1);
	while (enter(q, &s, 0, &c, &small, 0, 201 * SECOND) == RATE_TAKEN)
		passed++;
	assert_int_equal(passed, 20);
	quota_destroy(q);
}

static void tokens_come_back(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .tokens = 1000, .tokens_window_us = 100 * SECOND };
	struct call      c, d;

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c, &a, 1001, 200 * SECOND), RATE_NEVER);
	assert_int_equal(s.taken[0], 0);
	assert_int_equal(enter(q, &s, 0, &c, &a, 600, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 600);
	assert_int_equal(c.view.of[RATE_KEY][RATE_TOKENS].left, 400);
	assert_int_equal(enter(q, &s, 0, &d, &a, 500, 200 * SECOND), RATE_REFUSED);
	assert_int_equal(d.view.of[RATE_KEY][RATE_TOKENS].left, 400);
	quota_give(q, &c.hold, true, 10);
	/* A share stays: a quarter of what was left when the store answered last. */
	assert_int_equal(tell(&s, 0, q, false, 200 * SECOND), 1);
	assert_int_equal(s.taken[0], 10 + 400 / 4);
	assert_int_equal(tell(&s, 0, q, false, 200 * SECOND), 0);
	assert_int_equal(enter(q, &s, 0, &c, &a, 900, 201 * SECOND), RATE_TAKEN);
	/* More than was estimated is told, too. */
	quota_give(q, &c.hold, true, 1200);
	assert_int_equal(tell(&s, 0, q, false, 201 * SECOND), 1);
	assert_int_equal(s.taken[0], 1210);
	assert_int_equal(enter(q, &s, 0, &c, &a, 1, 202 * SECOND), RATE_REFUSED);
	assert_int_equal(c.view.of[RATE_KEY][RATE_TOKENS].left, 0);
	quota_destroy(q);
}

/* late lacks two of its six tokens; when it gets them, another call has spent the four that were here. */
static void forestall(struct quota *q, struct server *s, const struct allowance *a,
		      struct call *late, struct call *other)
{
	*late = (struct call){ .take.count = 0 };
	assert_non_null(q);
	assert_int_equal(enter(q, s, 0, other, a, 6, 200 * SECOND), RATE_TAKEN);
	quota_give(q, &other->hold, true, 2);
	assert_int_equal(try(q, late, a, 6, 200 * SECOND), RATE_SHORT);
	assert_int_equal(late->take.wants[0].least, 2);
	assert_int_equal(enter(q, s, 0, other, a, 4, 200 * SECOND), RATE_TAKEN);
	serve(s, 0, &late->take, 200 * SECOND);
	assert_int_equal(try(q, late, a, 6, 200 * SECOND), RATE_SHORT);
	assert_int_equal(late->take.wants[0].least, 6);
}

static void a_forestalled_call_asks_for_all(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .tokens = 15, .tokens_window_us = 100 * SECOND };
	struct call      other, late;

	forestall(q, &s, &a, &late, &other);
	serve(&s, 0, &late.take, 200 * SECOND);
	assert_int_equal(enter(q, &s, 0, &other, &a, 2, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 14);
	quota_destroy(q);
}

/* Of all its limits, because what is here of one may be gone when the other's answer comes. */
static void a_forestalled_call_asks_for_all_of_each_limit(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    of[] = { [RATE_REQUESTS] = new_server(1), [RATE_TOKENS] = new_server(1) };
	struct allowance a = { .requests = 10,
			       .requests_window_us = 100 * SECOND,
			       .tokens = 15,
			       .tokens_window_us = 100 * SECOND };
	struct call      c = { .take.count = 0 }, d = c, late = c;

	assert_non_null(q);
	assert_int_equal(try(q, &c, &a, 6, 200 * SECOND), RATE_SHORT);
	serve_each(of, &c.take, 200 * SECOND);
	assert_int_equal(try(q, &c, &a, 6, 200 * SECOND), RATE_TAKEN);
	quota_give(q, &c.hold, true, 2); /* four of six tokens are left */
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_SHORT);
	assert_int_equal(try(q, &d, &a, 4, 200 * SECOND), RATE_SHORT);
	serve_each(of, &d.take, 200 * SECOND);
	assert_int_equal(try(q, &d, &a, 4, 200 * SECOND), RATE_TAKEN);
	serve_each(of, &late.take, 200 * SECOND);
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_SHORT);
	serve_each(of, &late.take, 200 * SECOND);
	d = (struct call){ .take.count = 0 };
	assert_int_equal(try(q, &d, &a, 2, 200 * SECOND), RATE_TAKEN); /* what late has here */
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(of[RATE_REQUESTS].taken[0], 4);
	assert_int_equal(of[RATE_TOKENS].taken[0], 14);
	quota_destroy(q);
}

static void a_forestalled_call_is_told_all_that_is_left(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .tokens = 15, .tokens_window_us = 100 * SECOND };
	struct call      other, late;

	forestall(q, &s, &a, &late, &other);
	serve(&s, 0, &late.take, 200 * SECOND);
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_TAKEN);
	/* One at the store, and two here that it did not need. */
	assert_int_equal(late.view.of[RATE_KEY][RATE_TOKENS].left, 3);
	quota_destroy(q);
}

/* What the store can still give is asked for, if it has not all that a forestalled call needs. */
static void a_forestalled_call_takes_what_is_left(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .tokens = 11, .tokens_window_us = 100 * SECOND };
	struct call      other, late;

	forestall(q, &s, &a, &late, &other);
	quota_give(q, &other.hold, true, 3); /* three of six are here, and the store has three */
	serve(&s, 0, &late.take, 200 * SECOND);
	assert_int_equal(late.take.wants[0].granted, 0);
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_SHORT);
	assert_int_equal(late.take.wants[0].least, 3);
	serve(&s, 0, &late.take, 200 * SECOND);
	assert_int_equal(try(q, &late, &a, 6, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 11);
	quota_destroy(q);
}

static void tokens_above_the_estimate_are_asked_for(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .tokens = 15, .tokens_window_us = 100 * SECOND };
	struct call      c;

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c, &a, 2, 200 * SECOND), RATE_TAKEN);
	quota_give(q, &c.hold, true, 5);
	assert_int_equal(enter(q, &s, 0, &c, &a, 4, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(s.taken[0], 9);
	quota_give(q, &c.hold, true, 4);
	assert_int_equal(enter(q, &s, 0, &c, &a, 7, 200 * SECOND), RATE_REFUSED);
	assert_int_equal(enter(q, &s, 0, &c, &a, 6, 200 * SECOND), RATE_TAKEN);
	quota_destroy(q);
}

static void an_idle_share_goes_back(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .requests = 100, .requests_window_us = 100 * SECOND };
	struct call      c;

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 200 * SECOND), RATE_TAKEN);
	assert_int_equal(tell(&s, 0, q, false, 200 * SECOND), 0);
	assert_int_equal(tell(&s, 0, q, false, 200 * SECOND + SECOND / 2), 1);
	assert_int_equal(s.taken[0], 1);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 201 * SECOND), RATE_TAKEN);
	assert_int_equal(tell(&s, 0, q, true, 201 * SECOND), 1); /* the process ends */
	assert_int_equal(s.taken[0], 2);
	/* Once more after a failure, */
	struct share_keep keep[SHARE_KEEPS];
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, true, false, 201 * SECOND), 1);
	assert_int_equal(keep[0].taken, 2);
	assert_int_equal(keep[0].window, 200 * SECOND);
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, false, false, 201 * SECOND), 0);
	/* and what was taken with an unknown end. */
	assert_int_equal(try(q, &c, &a, 0, 202 * SECOND), RATE_SHORT);
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, false, false, 202 * SECOND), 0);
	c.take.job.err.code = ERR_STORAGE;
	quota_answer(q, &c.take, 202 * SECOND);
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, false, false, 202 * SECOND), 1);
	assert_int_equal(keep[0].taken, 2);
	quota_destroy(q);
}

static void calls_at_once_come_back_at_their_end(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16), *other = quota_create(16);
	struct server    s = new_server(2);
	struct allowance a = { .concurrent = 2 };
	struct call      c[4];

	assert_non_null(q);
	assert_non_null(other);
	assert_int_equal(enter(q, &s, 0, &c[0], &a, 0, 1), RATE_TAKEN);
	assert_int_equal(enter(other, &s, 1, &c[1], &a, 0, 1), RATE_TAKEN);
	assert_int_equal(c[1].view.of[RATE_KEY][RATE_CALLS].left, 0);
	assert_int_equal(enter(q, &s, 0, &c[2], &a, 0, 1), RATE_REFUSED);
	assert_int_equal(c[2].why, RATE_CALLS);
	assert_int_equal(enter(other, &s, 1, &c[3], &a, 0, 1), RATE_REFUSED);
	quota_give(q, &c[0].hold, true, -1);
	assert_int_equal(tell(&s, 0, q, false, 2), 1);
	assert_int_equal(s.taken[0], 0);
	assert_int_equal(enter(other, &s, 1, &c[3], &a, 0, SECOND), RATE_TAKEN);
	assert_int_equal(enter(q, &s, 0, &c[2], &a, 0, SECOND), RATE_REFUSED);
	quota_give(other, &c[1].hold, true, -1);
	quota_give(other, &c[3].hold, true, -1);
	/* This process takes its own back without asking. */
	c[1] = (struct call){ .take.count = 0 };
	assert_int_equal(try(other, &c[1], &a, 0, SECOND), RATE_TAKEN);
	quota_give(other, &c[1].hold, true, -1);
	assert_int_equal(tell(&s, 1, other, false, SECOND), 1);
	assert_int_equal(s.taken[1], 0);
	quota_destroy(q);
	quota_destroy(other);
}

/* The store believed the process dead: its old calls count no more, and give nothing back. */
static void a_new_name_is_a_new_window(void **state)
{
	(void)state;
	struct quota     *q = quota_create(16);
	struct server     s = new_server(1);
	struct allowance  a = { .concurrent = 2 };
	struct call       c[2];
	struct share_keep keep[SHARE_KEEPS];

	assert_non_null(q);
	assert_int_equal(enter(q, &s, 0, &c[0], &a, 0, 1), RATE_TAKEN);
	c[1] = (struct call){ .take.count = 0 };
	assert_int_equal(try(q, &c[1], &a, 0, 2), RATE_SHORT);
	serve(&s, 0, &c[1].take, 2);
	c[1].take.wants[0].window = 100;
	assert_int_equal(try(q, &c[1], &a, 0, 2), RATE_TAKEN);
	quota_give(q, &c[0].hold, true, -1);
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, false, false, 3), 0);
	quota_give(q, &c[1].hold, true, -1);
	assert_int_equal(quota_spare(q, keep, SHARE_KEEPS, false, false, 3), 1);
	assert_int_equal(keep[0].window, 100);
	assert_int_equal(keep[0].taken, 0);
	quota_destroy(q);
}

static void answers_in_the_wrong_order(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .requests = 1, .requests_window_us = 10 * SECOND };
	struct call      c[2] = { { .take.count = 0 }, { .take.count = 0 } };

	assert_non_null(q);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try(q, &c[i], &a, 0, (20 + i) * SECOND), RATE_SHORT);
		c[i].take.asked_us = (20 + i) * SECOND;
	}
	serve(&s, 0, &c[0].take, 20 * SECOND);
	serve(&s, 0, &c[1].take, 30 * SECOND); /* the next window */
	assert_int_equal(try(q, &c[1], &a, 0, 30 * SECOND), RATE_TAKEN);
	assert_int_equal(try(q, &c[0], &a, 0, 30 * SECOND), RATE_SHORT);
	serve(&s, 0, &c[0].take, 30 * SECOND);
	assert_int_equal(try(q, &c[0], &a, 0, 30 * SECOND), RATE_REFUSED);
	/* What is left is what the last answer says. */
	struct allowance more = { .requests = 9, .requests_window_us = 10 * SECOND };
	for (int i = 0; i < 2; i++) {
		assert_int_equal(try(q, &c[i], &more, 0, 31 * SECOND), RATE_SHORT);
		serve(&s, 0, &c[i].take, 31 * SECOND);
	}
	assert_int_equal(try(q, &c[1], &more, 0, 31 * SECOND), RATE_TAKEN);
	assert_int_equal(c[1].view.of[RATE_KEY][RATE_REQUESTS].left, 6);
	assert_int_equal(try(q, &c[0], &more, 0, 31 * SECOND), RATE_TAKEN);
	assert_int_equal(c[0].view.of[RATE_KEY][RATE_REQUESTS].left, 7); /* for this call */
	struct rate_view v;
	quota_look(
		q,
		&(struct rate_ask){ .key = 7, .mine = &more, .all = &none, .now_us = 31 * SECOND },
		&v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 6);
	quota_destroy(q);
}

static void what_is_not_known_here_is_not_told(void **state)
{
	(void)state;
	struct quota    *q = quota_create(16);
	struct server    s = new_server(1);
	struct allowance a = { .requests = 2, .requests_window_us = 10 * SECOND };
	struct call      c;
	struct rate_view v;
	struct rate_ask  ask = { .key = 7, .mine = &a, .all = &none, .now_us = 20 * SECOND };

	assert_non_null(q);
	quota_look(q, &ask, &v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].limit, 2);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, -1);
	assert_int_equal(v.of[RATE_ALL][RATE_REQUESTS].limit, 0);
	assert_int_equal(enter(q, &s, 0, &c, &a, 0, 20 * SECOND), RATE_TAKEN);
	quota_look(q, &ask, &v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 1);
	ask.now_us = 30 * SECOND;
	quota_look(q, &ask, &v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, -1);
	quota_destroy(q);
}

static void there_is_a_bound_of_keys(void **state)
{
	(void)state;
	enum { KEYS = 4 };
	struct quota    *q = quota_create(KEYS);
	struct allowance a = { .concurrent = 1 };
	struct call      c[KEYS + 2];
	struct server    s[KEYS + 2];

	assert_non_null(q);
	for (int i = 0; i < KEYS + 2; i++) {
		struct rate_ask ask = { .key = 1 + i, .mine = &a, .all = &none, .now_us = SECOND };

		c[i] = (struct call){ .take.count = 0 };
		s[i] = new_server(1);
		if (i == KEYS + 1) { /* a call has ended and was told */
			quota_give(q, &c[0].hold, true, -1);
			(void)tell(&s[0], 0, q, false, SECOND);
			(void)tell(&s[0], 0, q, false, SECOND);
		}
		enum rate_answer rc = quota_take(q, &ask, &c[i].take, &c[i].hold, &c[i].view,
						 &c[i].why, &c[i].whose);
		assert_int_equal(rc, i == KEYS ? RATE_FULL : RATE_SHORT);
		if (i == KEYS)
			continue;
		serve(&s[i], 0, &c[i].take, SECOND);
		assert_int_equal(quota_take(q, &ask, &c[i].take, &c[i].hold, &c[i].view, &c[i].why,
					    &c[i].whose),
				 RATE_TAKEN);
	}
	quota_destroy(q);
}

/* --- many at once --- */

enum { PROCESSES = 4, THREADS = 2, ROUNDS = 400 };

struct process {
	struct server *server;
	struct quota  *quota;
	int            number;
	atomic_bool   *over;
	atomic_int    *passed;
};

static const struct allowance of_many = { .requests = 500, .requests_window_us = 3600 * SECOND };

static void *calls_of_process(void *arg)
{
	struct process *p = arg;
	struct call     c;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t          now = (3600 + i) * SECOND; /* so that nothing is dry for long */
		enum rate_answer rc = RATE_SHORT;

		c = (struct call){ .take.count = 0 };
		while ((rc = try(p->quota, &c, &of_many, 0, now)) == RATE_SHORT) {
			c.take.asked_us = now;
			serve(p->server, p->number, &c.take, 3600 * SECOND);
		}
		if (rc != RATE_TAKEN)
			continue;
		bool asked = i % 7 != 0;
		atomic_fetch_add(p->passed, asked);
		quota_give(p->quota, &c.hold, asked, -1);
	}
	return NULL;
}

static void *tells_of_process(void *arg)
{
	struct process *p = arg;

	while (!atomic_load(p->over))
		(void)tell(p->server, p->number, p->quota, false, 3600 * SECOND);
	return NULL;
}

static void many_processes_never_pass_more(void **state)
{
	(void)state;
	struct server  s = new_server(PROCESSES);
	struct process p[PROCESSES];
	pthread_t      calling[PROCESSES][THREADS], telling[PROCESSES];
	atomic_bool    over = false;
	atomic_int     passed = 0;

	for (int i = 0; i < PROCESSES; i++) {
		p[i] = (struct process){ &s, quota_create(16), i, &over, &passed };
		assert_non_null(p[i].quota);
		for (int k = 0; k < THREADS; k++)
			assert_int_equal(
				pthread_create(&calling[i][k], NULL, calls_of_process, &p[i]), 0);
		assert_int_equal(pthread_create(&telling[i], NULL, tells_of_process, &p[i]), 0);
	}
	for (int i = 0; i < PROCESSES; i++)
		for (int k = 0; k < THREADS; k++)
			pthread_join(calling[i][k], NULL);
	atomic_store(&over, true);
	for (int i = 0; i < PROCESSES; i++) {
		pthread_join(telling[i], NULL);
		quota_destroy(p[i].quota);
	}
	assert_int_in_range(atomic_load(&passed), 450, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_spent_before_the_store_is_asked),
		cmocka_unit_test(what_the_store_lacks_is_refused_for_a_moment),
		cmocka_unit_test(a_smaller_limit_counts_what_was_spent),
		cmocka_unit_test(tokens_come_back),
		cmocka_unit_test(a_forestalled_call_asks_for_all),
		cmocka_unit_test(a_forestalled_call_asks_for_all_of_each_limit),
		cmocka_unit_test(a_forestalled_call_is_told_all_that_is_left),
		cmocka_unit_test(a_forestalled_call_takes_what_is_left),
		cmocka_unit_test(tokens_above_the_estimate_are_asked_for),
		cmocka_unit_test(an_idle_share_goes_back),
		cmocka_unit_test(calls_at_once_come_back_at_their_end),
		cmocka_unit_test(a_new_name_is_a_new_window),
		cmocka_unit_test(answers_in_the_wrong_order),
		cmocka_unit_test(what_is_not_known_here_is_not_told),
		cmocka_unit_test(there_is_a_bound_of_keys),
		cmocka_unit_test(many_processes_never_pass_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
