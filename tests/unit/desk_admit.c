/* Places for calls: in order, none lost and none given twice, whoever leaves when. */
#include "desk/admit.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* A loop of one queue, which its thread empties when it likes; its timers are fired by hand. */
struct loop {
	pthread_mutex_t lock;
	struct task    *first, *last;
};

void loop_post(struct loop *l, struct task *t)
{
	pthread_mutex_lock(&l->lock);
	t->next = NULL;
	if (l->last)
		l->last->next = t;
	else
		l->first = t;
	l->last = t;
	pthread_mutex_unlock(&l->lock);
}

void timer_start(struct loop *l, struct timer *t, int64_t after_us)
{
	(void)l;
	t->at_us = after_us;
	t->link = &t->next;
}

void timer_stop(struct loop *l, struct timer *t)
{
	(void)l;
	t->link = NULL;
}

static bool run_one(struct loop *l)
{
	pthread_mutex_lock(&l->lock);
	struct task *t = l->first;

	if (t)
		l->first = t->next;
	if (t && !l->first)
		l->last = NULL;
	pthread_mutex_unlock(&l->lock);
	if (t)
		t->fn(t);
	return t;
}

static void run_all(struct loop *l)
{
	while (run_one(l))
		;
}

struct asker {
	struct admit_wait wait;
	int               answers, gone;
	enum errc         code;
	int               place; /* in the order of answers */
};

static _Atomic int order;

static void on_answer(struct admit_wait *w, const struct err *e)
{
	struct asker *c = container_of(w, struct asker, wait);

	c->answers++;
	c->code = e ? e->code : ERR_OK;
	c->place = ++order;
}

static void on_gone(struct admit_wait *w)
{
	container_of(w, struct asker, wait)->gone++;
}

static struct admit_settings settings = { .max_calls = 2, .max_waiting = 3, .wait_us = 1000 };
static struct identity       who = { .id = "key_aaaaaaaa", .number = 7 };

static enum admit_answer enter(struct asker *c, struct loop *l, struct err *e)
{
	struct rate_view view;

	*c = (struct asker){ .wait = { .fn = on_answer, .gone = on_gone } };
	return admit_enter(
		&(struct admit_ask){ .now = &settings, .who = &who, .bytes = 10, .loop = l },
		&c->wait, &view, e);
}

static void assert_idle(void)
{
	struct admit_stats s;

	admit_stats(&s);
	assert_int_equal(s.calls, 0);
	assert_int_equal(s.waiting, 0);
}

static void first_come_first_served(void **state)
{
	(void)state;
	struct loop  l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct asker c[6];
	struct err   e;

	order = 0;
	assert_int_equal(enter(&c[0], &l, &e), ADMIT_IN);
	assert_int_equal(enter(&c[1], &l, &e), ADMIT_IN);
	for (int i = 2; i < 5; i++)
		assert_int_equal(enter(&c[i], &l, &e), ADMIT_WAITS);
	assert_int_equal(enter(&c[5], &l, &e), ADMIT_REFUSED);
	assert_int_equal(e.code, ERR_OVERLOADED);
	assert_true(e.retry_after_ms > 0);
	for (int i = 0; i < 5; i++) {
		admit_over(&c[i].wait.pass, true, 0);
		run_all(&l);
		if (i + 2 < 5) {
			assert_int_equal(c[i + 2].answers, 1);
			assert_int_equal(c[i + 2].code, ERR_OK);
			assert_int_equal(c[i + 2].place, i + 1);
		}
	}
	assert_idle();
}

static void who_leaves_frees_the_place(void **state)
{
	(void)state;
	struct loop  l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct asker c[5];
	struct err   e;

	for (int i = 0; i < 5; i++)
		assert_int_equal(enter(&c[i], &l, &e), i < 2 ? ADMIT_IN : ADMIT_WAITS);
	assert_true(admit_leave(&c[2].wait)); /* in the list */
	admit_over(&c[0].wait.pass, true, 0);
	/* the place is c[3]'s, and his task is on the way; it goes on to c[4] */
	assert_false(admit_leave(&c[3].wait));
	run_all(&l);
	assert_int_equal(c[3].gone, 1);
	assert_int_equal(c[3].answers, 0);
	assert_int_equal(c[4].answers, 1);
	assert_int_equal(c[2].answers + c[2].gone, 0);
	admit_over(&c[1].wait.pass, true, 0);
	admit_over(&c[4].wait.pass, true, 0);
	assert_idle();
}

static void time_runs_out(void **state)
{
	(void)state;
	struct loop  l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct asker c[4];
	struct err   e;

	for (int i = 0; i < 4; i++)
		assert_int_equal(enter(&c[i], &l, &e), i < 2 ? ADMIT_IN : ADMIT_WAITS);
	assert_int_equal(c[2].wait.timer.at_us, 1000);
	c[2].wait.timer.fn(&c[2].wait.timer);
	assert_int_equal(c[2].answers, 1);
	assert_int_equal(c[2].code, ERR_OVERLOADED);
	/* it goes off beside the task that brings the place: the place counts */
	admit_over(&c[0].wait.pass, true, 0);
	c[3].wait.timer.fn(&c[3].wait.timer);
	assert_int_equal(c[3].answers, 0);
	run_all(&l);
	assert_int_equal(c[3].answers, 1);
	assert_int_equal(c[3].code, ERR_OK);
	admit_over(&c[1].wait.pass, true, 0);
	admit_over(&c[3].wait.pass, true, 0);
	assert_idle();
}

static void a_key_s_calls_are_bounded_waiting_ones_too(void **state)
{
	(void)state;
	struct loop  l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct asker c[5];
	struct err   e;

	who.allowance.concurrent = 3;
	for (int i = 0; i < 3; i++)
		assert_int_equal(enter(&c[i], &l, &e), i < 2 ? ADMIT_IN : ADMIT_WAITS);
	assert_int_equal(enter(&c[3], &l, &e), ADMIT_REFUSED);
	assert_int_equal(e.code, ERR_RATE_LIMIT);
	assert_true(admit_leave(&c[2].wait));
	assert_int_equal(enter(&c[3], &l, &e), ADMIT_WAITS);
	/* what has no room to wait takes nothing of the key either */
	settings.max_waiting = 1;
	who.allowance.concurrent = 4;
	assert_int_equal(enter(&c[4], &l, &e), ADMIT_REFUSED);
	assert_int_equal(e.code, ERR_OVERLOADED);
	settings.max_waiting = 3;
	assert_int_equal(enter(&c[4], &l, &e), ADMIT_WAITS);
	assert_true(admit_leave(&c[4].wait));
	c[3].wait.timer.fn(&c[3].wait.timer);
	admit_over(&c[0].wait.pass, true, 0);
	admit_over(&c[1].wait.pass, true, 0);
	assert_idle();
	who.allowance.concurrent = 1;
	assert_int_equal(enter(&c[0], &l, &e), ADMIT_IN);
	admit_over(&c[0].wait.pass, true, 0);
	who.allowance.concurrent = 0;
}

/* --- many loops --- */

enum { LOOPS = 4, EACH = 1000 };

static _Atomic int in, most;

struct busy {
	struct loop  loop;
	struct asker caller[EACH];
	int          left, served, refused;
};

static void work(struct asker *c, struct busy *b)
{
	int now = atomic_fetch_add(&in, 1) + 1;
	int seen = atomic_load(&most);

	while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now))
		;
	sched_yield(); /* so that others find it taken */
	atomic_fetch_sub(&in, 1);
	b->served++;
	admit_over(&c->wait.pass, true, 0);
}

static void settle(struct busy *b, struct asker *c)
{
	if (c->answers == 0)
		return;
	c->answers = 0;
	if (c->code == ERR_OK)
		work(c, b);
	else
		b->refused++;
}

/* One loop's thread: some of its callers leave while they wait. */
static void *busy_main(void *arg)
{
	struct busy *b = arg;
	struct err   e;

	for (int i = 0; i < EACH; i++) {
		struct asker *c = &b->caller[i];

		switch (enter(c, &b->loop, &e)) {
		case ADMIT_IN: work(c, b); break;
		case ADMIT_REFUSED: b->refused++; break;
		case ADMIT_WAITS:
			if (i % 4 == 0) {
				if (admit_leave(&c->wait))
					c->gone++;
				b->left++;
				break;
			}
			while (c->answers == 0)
				if (!run_one(&b->loop))
					sched_yield();
			settle(b, c);
			break;
		}
	}
	run_all(&b->loop);
	return NULL;
}

static void none_is_lost_among_loops(void **state)
{
	(void)state;
	struct busy    *b = calloc(LOOPS, sizeof *b);
	pthread_t       t[LOOPS];
	struct timespec from, to;
	int             served = 0, refused = 0, left = 0;

	assert_non_null(b);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < LOOPS; i++) {
		pthread_mutex_init(&b[i].loop.lock, NULL);
		assert_int_equal(pthread_create(&t[i], NULL, busy_main, &b[i]), 0);
	}
	for (int i = 0; i < LOOPS; i++)
		pthread_join(t[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	for (int i = 0; i < LOOPS; i++) {
		run_all(&b[i].loop);
		served += b[i].served;
		refused += b[i].refused;
		left += b[i].left;
		for (int k = 0; k < EACH; k++)
			assert_true(b[i].caller[k].gone <= 1);
	}
	assert_int_equal(served + refused + left, LOOPS * EACH);
	assert_int_in_range(most, 1, 2);
	assert_idle();
	print_message(
		"%d served, %d refused, %d left; %.0f ns for each\n", served, refused, left,
		((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
			(LOOPS * EACH));
	free(b);
}

/* Last: it is for good. */
static void draining_refuses_who_waits(void **state)
{
	(void)state;
	struct loop  l = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct asker c[5];
	struct err   e;

	for (int i = 0; i < 4; i++)
		assert_int_equal(enter(&c[i], &l, &e), i < 2 ? ADMIT_IN : ADMIT_WAITS);
	admit_drain();
	assert_false(admit_leave(&c[3].wait)); /* his refusal is on the way */
	assert_int_equal(enter(&c[4], &l, &e), ADMIT_REFUSED);
	assert_int_equal(e.code, ERR_DRAINING);
	run_all(&l);
	assert_int_equal(c[2].answers, 1);
	assert_int_equal(c[2].code, ERR_DRAINING);
	assert_int_equal(c[3].gone, 1);
	admit_over(&c[0].wait.pass, true, 0);
	assert_int_equal(enter(&c[4], &l, &e), ADMIT_IN);
	admit_over(&c[4].wait.pass, true, 0);
	admit_over(&c[1].wait.pass, true, 0);
	assert_idle();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_come_first_served),
		cmocka_unit_test(who_leaves_frees_the_place),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(a_key_s_calls_are_bounded_waiting_ones_too),
		cmocka_unit_test(none_is_lost_among_loops),
		cmocka_unit_test(draining_refuses_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
