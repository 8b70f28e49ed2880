/* Admission with shared limits: calls that wait for the store, whatever it says and whoever leaves meanwhile. */
#include "desk/admit.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A loop of one timer, which is fired by hand; no task is posted, as no place is waited for. */
struct loop {
	struct timer *timer;
};

void loop_post(struct loop *l, struct task *t)
{
	(void)l;
	(void)t;
	fail();
}

void timer_start(struct loop *l, struct timer *t, int64_t after_us)
{
	assert_null(l->timer);
	l->timer = t;
	t->at_us = after_us;
}

void timer_stop(struct loop *l, struct timer *t)
{
	if (l->timer == t)
		l->timer = NULL;
}

static void fire(struct loop *l)
{
	struct timer *t = l->timer;

	assert_non_null(t);
	l->timer = NULL;
	t->fn(t);
}

/* --- a store that answers by hand --- */

static struct {
	struct store       store;
	bool               full;
	struct share_take *asked;
	unsigned           questions;
} server;

static bool server_submit(struct store *s, struct store_job *job)
{
	(void)s;
	if (server.full)
		return false;
	assert_null(server.asked);
	server.asked = container_of(job, struct share_take, job);
	server.questions++;
	return true;
}

static const struct store_ops ops = { .name = "by hand", .submit = server_submit };

static struct share_want *the_want(void)
{
	assert_non_null(server.asked);
	assert_int_equal(server.asked->count, 1);
	return &server.asked->wants[0];
}

/* The answer: so much was granted, and so much is left. */
static void answer(int64_t granted, int64_t left)
{
	struct share_want *x = the_want();

	x->granted = granted;
	x->left = left;
	x->window = 1000;
	x->rest_ms = x->window_ms;
	struct store_job *job = &TAKE(server.asked)->job;
	job->err = (struct err){ .code = ERR_OK };
	job->done(job);
}

static void answer_error(enum errc code)
{
	struct store_job *job = &TAKE(server.asked)->job;

	err_set(&job->err, code, "", "no");
	job->done(job);
}

/* --- callers --- */

struct asker {
	struct admit_wait wait;
	int               answers, gone, told;
	struct rate_view  view;
	struct err        err;
};

static void on_answer(struct admit_wait *w, const struct err *e)
{
	struct asker *c = container_of(w, struct asker, wait);

	c->answers++;
	c->err = e ? *e : (struct err){ .code = ERR_OK };
}

static void on_gone(struct admit_wait *w)
{
	container_of(w, struct asker, wait)->gone++;
}

static void on_told(struct admit_wait *w, const struct rate_view *view)
{
	struct asker *c = container_of(w, struct asker, wait);

	assert_int_equal(c->answers, 0);
	c->told++;
	c->view = *view;
}

static struct admit_settings settings = { .max_calls = 100, .max_waiting = 3, .wait_us = 1000 };

static enum admit_answer enter(struct asker *c, struct loop *l, const struct identity *who)
{
	*c = (struct asker){ .wait = { .fn = on_answer, .gone = on_gone, .told = on_told } };
	return admit_enter(
		&(struct admit_ask){ .now = &settings, .who = who, .bytes = 10, .loop = l },
		&c->wait, &c->view, &c->err);
}

static struct identity with_requests(int64_t number, int64_t requests)
{
	return (struct identity){ .number = number,
				  .allowance = { .requests = requests,
						 .requests_window_us = 3600 * INT64_C(1000000) } };
}

static int set_up_store(void **state)
{
	(void)state;
	server.store.ops = &ops;
	if (!admit_share(&server.store))
		return -1;
	return 0;
}

static void without_limits_nobody_is_asked(void **state)
{
	(void)state;
	struct loop     l = { NULL };
	struct identity who = { .number = 1 };
	struct asker    c;

	server.questions = 0;
	assert_int_equal(enter(&c, &l, &who), ADMIT_IN);
	admit_over(&c.wait.pass, true, 0);
	assert_int_equal(server.questions, 0);
}

static void a_share_lets_calls_in(void **state)
{
	(void)state;
	struct loop     l = { NULL };
	struct identity who = with_requests(2, 20);
	struct asker    c;

	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].limit, 0); /* told later */
	assert_int_equal(the_want()->limit, 20);
	assert_int_equal(the_want()->key, 2);
	answer(2, 18);
	assert_null(l.timer);
	assert_int_equal(c.told, 1);
	assert_int_equal(c.answers, 1);
	assert_int_equal(c.err.code, ERR_OK);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 19);
	admit_over(&c.wait.pass, true, 0);
	assert_int_equal(enter(&c, &l, &who), ADMIT_IN);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 18);
	admit_over(&c.wait.pass, true, 0);
	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	answer(0, 0);
	assert_int_equal(c.err.code, ERR_RATE_LIMIT);
	assert_true(c.err.retry_after_ms > 3590 * 1000);
	/* And the next one at once. */
	assert_int_equal(enter(&c, &l, &who), ADMIT_REFUSED);
	assert_int_equal(c.err.code, ERR_RATE_LIMIT);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, 0);
}

static void what_the_store_fails_with_is_said(void **state)
{
	(void)state;
	struct loop     l = { NULL };
	struct identity who = with_requests(3, 20);
	struct asker    c;

	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	answer_error(ERR_STORAGE);
	assert_int_equal(c.answers, 1);
	assert_int_equal(c.err.code, ERR_STORAGE);
	assert_int_equal(c.view.of[RATE_KEY][RATE_REQUESTS].left, -1);
	server.full = true;
	assert_int_equal(enter(&c, &l, &who), ADMIT_REFUSED);
	assert_int_equal(c.err.code, ERR_OVERLOADED);
	server.full = false;
	/* It is silent, and answers late: the share is here for the next one. */
	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	fire(&l);
	assert_int_equal(c.answers, 1);
	assert_int_equal(c.err.code, ERR_STORAGE);
	assert_true(c.err.retry_after_ms > 0);
	answer(1, 19);
	assert_int_equal(c.answers, 1);
	assert_int_equal(enter(&c, &l, &who), ADMIT_IN);
	admit_over(&c.wait.pass, true, 0);
}

static void who_leaves_takes_nothing(void **state)
{
	(void)state;
	struct loop     l = { NULL };
	struct identity who = with_requests(4, 20);
	struct asker    c;

	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	assert_false(admit_leave(&c.wait));
	answer(1, 19);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.answers, 0);
	assert_int_equal(enter(&c, &l, &who), ADMIT_IN);
	admit_over(&c.wait.pass, true, 0);
	/* It has left, and the store says nothing for long. */
	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	assert_false(admit_leave(&c.wait));
	fire(&l);
	assert_int_equal(c.gone, 0);
	answer_error(ERR_STORAGE);
	assert_int_equal(c.gone, 1);
	assert_int_equal(c.answers, 0);
}

static void calls_at_once_are_asked_for_again(void **state)
{
	(void)state;
	struct loop     l = { NULL };
	struct identity who = { .number = 5, .allowance = { .concurrent = 1 } };
	struct asker    c, d;

	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	assert_int_equal(the_want()->window_ms, 0);
	answer(0, 0);
	assert_int_equal(c.answers, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(l.timer->at_us, 100 * 1000);
		assert_int_equal(c.answers, 0);
		fire(&l);
		if (server.asked) /* what it said is believed for a tenth of a second */
			answer(0, 0);
	}
	assert_int_equal(c.answers, 1);
	assert_int_equal(c.err.code, ERR_RATE_LIMIT);
	assert_int_equal(c.err.retry_after_ms, 1000);
	assert_int_equal(enter(&d, &l, &who), ADMIT_WAITS);
	if (server.asked)
		answer(0, 0);
	assert_false(admit_leave(&d.wait));
	fire(&l);
	assert_int_equal(d.gone, 1);
	assert_int_equal(d.answers, 0);
}

static void at_the_end_everything_goes_back(void **state)
{
	(void)state;
	struct loop       l = { NULL };
	struct identity   who = with_requests(6, 20);
	struct asker      c;
	struct share_keep keep[SHARE_KEEPS];
	int64_t           taken = -1;

	assert_int_equal(enter(&c, &l, &who), ADMIT_WAITS);
	answer(5, 15);
	admit_over(&c.wait.pass, true, 0);
	admit_drain();
	size_t n = admit_spare(keep, SHARE_KEEPS, false);
	for (size_t i = 0; i < n; i++)
		if (keep[i].key == 6)
			taken = keep[i].taken;
	assert_int_equal(taken, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_nobody_is_asked),
		cmocka_unit_test(a_share_lets_calls_in),
		cmocka_unit_test(what_the_store_fails_with_is_said),
		cmocka_unit_test(who_leaves_takes_nothing),
		cmocka_unit_test(calls_at_once_are_asked_for_again),
		cmocka_unit_test(at_the_end_everything_goes_back),
	};

	return cmocka_run_group_tests(tests, set_up_store, NULL);
}
