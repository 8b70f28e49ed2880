/* Windows of keys: never over a limit, whatever the order of calls, ends and times. */
#include "desk/rate.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000)

static const struct allowance none;

static enum rate_answer ask(struct rate *r, int64_t key, const struct allowance *mine,
			    const struct allowance *all, int64_t tokens, int64_t now,
			    struct rate_hold *hold, struct rate_view *view)
{
	enum rate_policy why = RATE_REQUESTS;
	enum rate_whose  whose = RATE_KEY;

	return rate_take(
		r,
		&(struct rate_ask){
			.key = key, .mine = mine, .all = all, .tokens = tokens, .now_us = now },
		hold, view, &why, &whose);
}

static void a_window_begins_with_its_first_call(void **state)
{
	(void)state;
	struct rate     *r = rate_create(16);
	struct allowance a = { .requests = 2, .requests_window_us = 10 * SECOND };
	struct rate_hold h[4];
	struct rate_view v;

	assert_non_null(r);
	assert_int_equal(ask(r, 1, &a, &none, 0, 7 * SECOND, &h[0], &v), RATE_TAKEN);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 1);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].reset_us, 10 * SECOND);
	assert_int_equal(v.of[RATE_ALL][RATE_REQUESTS].limit, 0);
	assert_int_equal(ask(r, 1, &a, &none, 0, 16 * SECOND, &h[1], &v), RATE_TAKEN);
	assert_int_equal(ask(r, 1, &a, &none, 0, 16 * SECOND, &h[2], &v), RATE_REFUSED);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 0);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].reset_us, SECOND);
	/* another key has its own */
	assert_int_equal(ask(r, 2, &a, &none, 0, 16 * SECOND, &h[2], &v), RATE_TAKEN);
	/* the end of a call in the next window takes nothing from it */
	assert_int_equal(ask(r, 1, &a, &none, 0, 17 * SECOND, &h[3], &v), RATE_TAKEN);
	rate_give(r, &h[0], false, 0);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 1);
	rate_look(r,
		  &(struct rate_ask){ .key = 1, .mine = &a, .all = &none, .now_us = 18 * SECOND },
		  &v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 1);
	/* one that was asked stays counted, one that was not does not */
	rate_give(r, &h[3], false, 0);
	rate_look(r,
		  &(struct rate_ask){ .key = 1, .mine = &a, .all = &none, .now_us = 18 * SECOND },
		  &v);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 2);
	rate_destroy(r);
}

static void tokens_are_settled(void **state)
{
	(void)state;
	struct rate     *r = rate_create(16);
	struct allowance a = { .tokens = 100, .tokens_window_us = SECOND };
	struct rate_hold h, other;
	struct rate_view v;

	assert_non_null(r);
	assert_int_equal(ask(r, 1, &a, &none, 101, 1, &h, &v), RATE_NEVER);
	assert_int_equal(ask(r, 1, &a, &none, 60, 1, &h, &v), RATE_TAKEN);
	assert_int_equal(ask(r, 1, &a, &none, 60, 1, &other, &v), RATE_REFUSED);
	rate_give(r, &h, true, 10);
	assert_int_equal(ask(r, 1, &a, &none, 90, 1, &h, &v), RATE_TAKEN);
	assert_int_equal(v.of[RATE_KEY][RATE_TOKENS].left, 0);
	rate_give(r, &h, true, -1); /* not known: the estimate stays */
	assert_int_equal(ask(r, 1, &a, &none, 1, 1, &h, &v), RATE_REFUSED);
	/* one that took more than it said: nothing is left, and less than nothing is not told */
	assert_int_equal(ask(r, 2, &a, &none, 10, 1, &h, &v), RATE_TAKEN);
	rate_give(r, &h, true, INT64_MAX);
	rate_look(r, &(struct rate_ask){ .key = 2, .mine = &a, .all = &none, .now_us = 2 }, &v);
	assert_int_equal(v.of[RATE_KEY][RATE_TOKENS].left, 0);
	/* one that names no maximum is cut to what a window has */
	enum rate_policy why;
	enum rate_whose  whose;
	struct rate_ask  open = {
		 .key = 3, .mine = &a, .all = &none, .tokens = 5000, .open = true, .now_us = 1
	};
	assert_int_equal(rate_take(r, &open, &h, &v, &why, &whose), RATE_TAKEN);
	assert_int_equal(v.of[RATE_KEY][RATE_TOKENS].left, 0);
	rate_give(r, &h, false, 0);
	rate_look(r, &open, &v);
	assert_int_equal(v.of[RATE_KEY][RATE_TOKENS].left, 100);
	rate_destroy(r);
}

static void what_all_refuse_takes_nothing_of_the_key(void **state)
{
	(void)state;
	struct rate     *r = rate_create(16);
	struct allowance mine = { .requests = 5, .requests_window_us = SECOND, .concurrent = 9 };
	struct allowance all = { .concurrent = 1 };
	struct rate_hold h, other;
	struct rate_view v;
	enum rate_policy why;
	enum rate_whose  whose;
	struct rate_ask  a = { .key = 1, .mine = &mine, .all = &all, .now_us = 1 };

	assert_non_null(r);
	assert_int_equal(rate_take(r, &a, &h, &v, &why, &whose), RATE_TAKEN);
	assert_int_equal(rate_take(r, &a, &other, &v, &why, &whose), RATE_REFUSED);
	assert_int_equal(why, RATE_CALLS);
	assert_int_equal(whose, RATE_ALL);
	assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left, 4);
	assert_int_equal(v.of[RATE_KEY][RATE_CALLS].left, 8);
	rate_give(r, &other, true, 0); /* holds nothing */
	rate_give(r, &h, true, 0);
	rate_give(r, &h, true, 0); /* once only */
	assert_int_equal(rate_take(r, &a, &h, &v, &why, &whose), RATE_TAKEN);
	assert_int_equal(rate_take(r, &a, &other, &v, &why, &whose), RATE_REFUSED);
	rate_destroy(r);
}

static void memory_is_bounded(void **state)
{
	(void)state;
	enum { KEYS = 50 };
	struct rate     *r = rate_create(KEYS);
	struct allowance a = { .requests = 1, .requests_window_us = SECOND };
	struct rate_hold h[KEYS], more;
	struct rate_view v;

	assert_non_null(r);
	for (int i = 0; i < KEYS; i++)
		assert_int_equal(ask(r, i + 1, &a, &none, 0, 1, &h[i], &v), RATE_TAKEN);
	/* all of them are calling */
	assert_int_equal(ask(r, 1000, &a, &none, 0, 1, &more, &v), RATE_FULL);
	rate_give(r, &h[7], true, 0);
	assert_int_equal(ask(r, 1000, &a, &none, 0, 1, &more, &v), RATE_TAKEN);
	/* the others are remembered */
	for (int i = 0; i < KEYS; i++)
		if (i != 7)
			assert_int_equal(ask(r, i + 1, &a, &none, 0, 1, &h[7], &v), RATE_REFUSED);
	for (int i = 0; i < KEYS; i++)
		if (i != 7)
			rate_give(r, &h[i], true, 0);
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(ask(r, 5000 + i, &a, &none, 0, 1, &more, &v), RATE_TAKEN);
		rate_give(r, &more, true, 0);
	}
	rate_destroy(r);
}

/* --- against a plain model --- */

struct model {
	int64_t from, requests, tokens, calls;
};

enum { MODEL_KEYS = 4, OPEN_CALLS = 64 };

static uint64_t random_state;

static int random_next(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (int)(random_state >> 33);
}

static void any_order_keeps_the_limits(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct rate     *r = rate_create(MODEL_KEYS);
		struct allowance mine = { .requests = 1 + seed % 7,
					  .requests_window_us = 50,
					  .tokens = 100 + seed,
					  .tokens_window_us = 50,
					  .concurrent = 1 + seed % 5 };
		struct model     m[MODEL_KEYS] = { { 0 } };
		struct rate_hold hold[OPEN_CALLS];
		int64_t          from[OPEN_CALLS], took[OPEN_CALLS];
		int              key[OPEN_CALLS], n = 0;
		int64_t          now = 1;

		assert_non_null(r);
		random_state = seed;
		for (int step = 0; step < 500; step++) {
			struct rate_view v;

			now += random_next() % 9;
			if (n > 0 && (random_next() % 3 == 0 || n == OPEN_CALLS)) {
				int     i = random_next() % n;
				bool    asked = random_next() % 2;
				int64_t used = random_next() % 4 ? random_next() % 90 : -1;

				rate_give(r, &hold[i], asked, used);
				struct model *k = &m[key[i]];
				k->calls--;
				if (k->from == from[i]) {
					k->requests -= !asked;
					k->tokens += !asked      ? -took[i]
						     : used >= 0 ? used - took[i]
								 : 0;
				}
				n--;
				hold[i] = hold[n];
				from[i] = from[n];
				took[i] = took[n];
				key[i] = key[n];
				continue;
			}
			int           at = random_next() % MODEL_KEYS;
			int64_t       tokens = random_next() % 60;
			struct model *k = &m[at];
			if (k->from != 0 && now - k->from >= 50)
				*k = (struct model){ .calls = k->calls };
			bool fits = k->calls < mine.concurrent && k->requests < mine.requests &&
				    k->tokens + tokens <= mine.tokens;
			enum rate_answer rc =
				ask(r, at + 1, &mine, &none, tokens, now, &hold[n], &v);
			assert_int_equal(rc, fits ? RATE_TAKEN : RATE_REFUSED);
			if (!fits)
				continue;
			if (k->from == 0)
				k->from = now;
			k->calls++;
			k->requests++;
			k->tokens += tokens;
			assert_int_equal(v.of[RATE_KEY][RATE_REQUESTS].left,
					 mine.requests - k->requests);
			assert_int_equal(v.of[RATE_KEY][RATE_TOKENS].left, mine.tokens - k->tokens);
			key[n] = at;
			from[n] = k->from;
			took[n++] = tokens;
		}
		while (n > 0)
			rate_give(r, &hold[--n], true, 0);
		rate_destroy(r);
	}
}

/* --- many threads --- */

enum { THREADS = 4, EACH = 20000, LIMIT = 12345 };

struct crowd {
	struct rate *rate;
	int          taken;
};

static void *crowd_main(void *arg)
{
	struct crowd    *c = arg;
	struct allowance a = { .requests = LIMIT, .requests_window_us = 3600 * SECOND };

	for (int i = 0; i < EACH; i++) {
		struct rate_hold h;
		struct rate_view v;

		if (ask(c->rate, 1, &a, &a, 5, 1, &h, &v) != RATE_TAKEN)
			continue;
		c->taken++;
		rate_give(c->rate, &h, true, 5);
	}
	return NULL;
}

static void of_many_at_once_exactly_so_many_get_in(void **state)
{
	(void)state;
	struct rate    *r = rate_create(16);
	struct crowd    c[THREADS];
	pthread_t       t[THREADS];
	struct timespec from, to;
	int             taken = 0;

	assert_non_null(r);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < THREADS; i++) {
		c[i] = (struct crowd){ .rate = r };
		assert_int_equal(pthread_create(&t[i], NULL, crowd_main, &c[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		taken += c[i].taken;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_int_equal(taken, LIMIT);
	print_message(
		"%.0f ns for one call and its end or refusal, %d threads\n",
		((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
			(THREADS * EACH),
		THREADS);
	rate_destroy(r);
}

static enum rate_answer ask_both(struct rate *r, int64_t key, const struct allowance *mine,
				 const struct allowance *ours, struct rate_hold *hold,
				 enum rate_whose *whose)
{
	enum rate_policy why;
	struct rate_view v;

	return rate_take(r,
			 &(struct rate_ask){ .key = key,
					     .group = -7,
					     .mine = mine,
					     .ours = ours,
					     .all = &none,
					     .now_us = 7 * SECOND },
			 hold, &v, &why, whose);
}

static void a_group_counts_the_calls_of_all_its_keys(void **state)
{
	(void)state;
	struct rate     *r = rate_create(4), *one = rate_create(1);
	struct allowance mine = { .concurrent = 5 };
	struct allowance ours = { .requests = 2, .requests_window_us = 10 * SECOND };
	struct rate_hold h[3];
	enum rate_whose  whose = RATE_KEY;

	assert_non_null(r);
	assert_non_null(one);
	assert_int_equal(ask_both(r, 1, &mine, &ours, &h[0], &whose), RATE_TAKEN);
	assert_int_equal(ask_both(r, 2, &mine, &ours, &h[1], &whose), RATE_TAKEN);
	assert_int_equal(ask_both(r, 3, &mine, &ours, &h[2], &whose), RATE_REFUSED);
	assert_int_equal(whose, RATE_GROUP);
	rate_give(r, &h[0], false, 0); /* nobody was asked */
	rate_give(r, &h[1], true, 0);
	assert_int_equal(ask_both(r, 3, &mine, &ours, &h[2], &whose), RATE_TAKEN);
	rate_give(r, &h[2], true, 0);
	/* The key's entry does not make room for the group's. */
	assert_int_equal(ask_both(one, 1, &mine, &ours, &h[0], &whose), RATE_FULL);
	rate_destroy(r);
	rate_destroy(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_counts_the_calls_of_all_its_keys),
		cmocka_unit_test(a_window_begins_with_its_first_call),
		cmocka_unit_test(tokens_are_settled),
		cmocka_unit_test(what_all_refuse_takes_nothing_of_the_key),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(any_order_keeps_the_limits),
		cmocka_unit_test(of_many_at_once_exactly_so_many_get_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
