/* Feeds of live runs: each run's newest state, none of another owner's, bounded, and over at a drain. */
#include "base/limits.h"
#include "desk/live.h"
#include "desk/live_feed.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct reader {
	struct live_feed feed;
	int              news;
	bool             gone;
};

static void on_news(struct live_feed *f)
{
	container_of(f, struct reader, feed)->news++;
}

static void on_gone(struct live_feed *f)
{
	container_of(f, struct reader, feed)->gone = true;
}

static struct live run_of(int64_t key, int64_t owner)
{
	return (struct live){ .id = { key, (uint64_t)key * 7 },
			      .owner = owner,
			      .status = RUN_RUNNING };
}

static void stop_now(struct task *t)
{
	(void)t;
}

/* turn: the loop does what was posted to it. */
static void turn(struct loop *l)
{
	struct task t = { .fn = stop_now };

	loop_post(l, &t);
	loop_stop(l);
	loop_run(l);
}

static struct loop *loop_made(void)
{
	struct loop *l;
	struct err   e;

	assert_int_equal(loop_create(0, &l, &e), ERR_OK);
	return l;
}

static void follow(struct reader *x, struct loop *l, int64_t owner, bool all)
{
	struct err e;

	*x = (struct reader){ .feed = { .loop = l,
					.owner = owner,
					.all = all,
					.each = live_each,
					.fn = on_news,
					.gone = on_gone } };
	assert_int_equal(live_feed_start(&x->feed, &e), ERR_OK);
}

static void leave(struct reader *x, struct loop *l)
{
	live_feed_stop(&x->feed);
	turn(l);
	assert_true(x->gone);
}

static void expect(struct reader *x, enum live_feed_next want, int64_t key, enum run_status status)
{
	struct live_state s;

	assert_int_equal(live_feed_take(&x->feed, &s), want);
	if (want != LIVE_FEED_STATE)
		return;
	assert_int_equal(s.id.key, key);
	assert_int_equal(s.status, status);
}

static void runs_that_go_on_then_changes_then_the_end(void **state)
{
	struct loop    *l = loop_made();
	struct live     a = run_of(1, 5), b = run_of(2, 6), queued = run_of(3, 5);
	struct live_end end = { .completed_ms = 9 };
	struct reader   own, all;

	(void)state;
	queued.status = RUN_QUEUED;
	live_add(&a);
	live_add(&b);
	live_add(&queued);
	follow(&own, l, 5, false);
	follow(&all, l, 0, true);
	turn(l);
	assert_true(own.news > 0 && all.news > 0);
	expect(&own, LIVE_FEED_STATE, 1, RUN_RUNNING);
	expect(&own, LIVE_FEED_READY, 0, 0);
	expect(&own, LIVE_FEED_NOTHING, 0, 0);
	live_set_first(&b, 7);
	live_end(&queued, RUN_FAILED, &end); /* nobody has heard of it */
	expect(&own, LIVE_FEED_NOTHING, 0, 0);
	live_set_first(&a, 7);
	live_end(&a, RUN_COMPLETED, &end);
	expect(&own, LIVE_FEED_STATE, 1, RUN_COMPLETED); /* the state between is not missed */
	expect(&own, LIVE_FEED_NOTHING, 0, 0);
	expect(&all, LIVE_FEED_STATE, 2, RUN_RUNNING);
	expect(&all, LIVE_FEED_STATE, 1, RUN_COMPLETED);
	expect(&all, LIVE_FEED_STATE, 2, RUN_RUNNING); /* of those that went on at the start */
	expect(&all, LIVE_FEED_READY, 0, 0);
	live_end(&b, RUN_CANCELLED, &end);
	expect(&all, LIVE_FEED_STATE, 2, RUN_CANCELLED);
	leave(&own, l);
	leave(&all, l);
	assert_false(live_feed_any());
	loop_destroy(l);
}

static void a_feed_with_too_much_is_lost(void **state)
{
	struct loop  *l = loop_made();
	struct reader x;

	(void)state;
	follow(&x, l, 5, false);
	expect(&x, LIVE_FEED_READY, 0, 0);
	for (int64_t i = 1; i <= LIMIT_LIVE_STATES; i++) {
		struct live r = run_of(i, 5);

		live_set_first(&r, 1);
		live_set_first(&r, 2); /* takes no further place */
	}
	struct live more = run_of(LIMIT_LIVE_STATES + 1, 5);
	struct live foreign = run_of(LIMIT_LIVE_STATES + 2, 6);

	live_set_first(&foreign, 1);
	expect(&x, LIVE_FEED_STATE, 1, RUN_RUNNING);
	live_set_first(&more, 1);
	expect(&x, LIVE_FEED_STATE, 2, RUN_RUNNING);
	struct live another = run_of(LIMIT_LIVE_STATES + 3, 5);
	struct live last = run_of(LIMIT_LIVE_STATES + 4, 5);
	live_set_first(&another, 1);
	live_set_first(&last, 1);
	expect(&x, LIVE_FEED_LOST, 0, 0);
	leave(&x, l);
	loop_destroy(l);
}

enum { THREADS = 4, TIMES = 2000 };

static void *runs_of_a_thread(void *arg)
{
	int64_t base = *(int64_t *)arg;

	for (int64_t i = 1; i <= TIMES; i++) {
		struct live     r = run_of(base + i, 5);
		struct live_end end = { .completed_ms = i };

		live_add(&r);
		live_set_first(&r, i);
		live_end(&r, RUN_COMPLETED, &end);
	}
	return NULL;
}

/* Runs of many threads: each has exactly one last state, unless the feed says that it is lost. */
static void no_last_state_is_missed(void **state)
{
	struct loop  *l = loop_made();
	struct reader x;
	pthread_t     threads[THREADS];
	int64_t       bases[THREADS];
	size_t        ended = 0;
	bool          lost = false;

	(void)state;
	follow(&x, l, 5, false);
	for (int i = 0; i < THREADS; i++) {
		bases[i] = (int64_t)(i + 1) * 1000000;
		assert_int_equal(pthread_create(&threads[i], NULL, runs_of_a_thread, &bases[i]), 0);
	}
	while (ended < (size_t)THREADS * TIMES && !lost) {
		struct live_state s;

		switch (live_feed_take(&x.feed, &s)) {
		case LIVE_FEED_STATE: ended += s.status == RUN_COMPLETED; break;
		case LIVE_FEED_LOST: lost = true; break;
		case LIVE_FEED_READY:
		case LIVE_FEED_NOTHING:
		case LIVE_FEED_DRAINED: break;
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(lost || ended == (size_t)THREADS * TIMES);
	leave(&x, l);
	loop_destroy(l);
}

static void so_many_and_a_drain(void **state)
{
	struct loop   *l = loop_made();
	struct reader *x = calloc(LIMIT_LIVE_FEEDS, sizeof *x);
	struct reader  more = { .feed = { .loop = l, .each = live_each } };
	struct err     e;

	(void)state;
	assert_non_null(x);
	for (size_t i = 0; i < LIMIT_LIVE_FEEDS; i++)
		follow(&x[i], l, 5, false);
	assert_int_equal(live_feed_start(&more.feed, &e), ERR_OVERLOADED);
	live_feed_drain();
	for (size_t i = 0; i < LIMIT_LIVE_FEEDS; i++) {
		expect(&x[i], LIVE_FEED_DRAINED, 0, 0);
		leave(&x[i], l);
	}
	assert_int_equal(live_feed_start(&more.feed, &e), ERR_DRAINING);
	free(x);
	loop_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_go_on_then_changes_then_the_end),
		cmocka_unit_test(a_feed_with_too_much_is_lost),
		cmocka_unit_test(no_last_state_is_missed),
		cmocka_unit_test(so_many_and_a_drain),
	};

	return cmocka_run_group_tests_name("desk/live_feed", tests, NULL, NULL);
}
