/* Waiting for news of a run: on several loops, from several threads. */
#include "desk/live.h"
#include "desk/watch.h"

#include "tests/unit/run_lane.h"

#include <stdatomic.h>

/* One who waits; its counts belong to its loop's thread. */
struct watcher {
	struct lane     *lane;
	struct watch_run watch;
	size_t           news;
	size_t           gone;
	bool             stop_at_news;
	atomic_size_t    heard; /* of news, for other threads */
};

static void on_news(struct watch_run *w)
{
	struct watcher *x = container_of(w, struct watcher, watch);

	CHECK(x->gone == 0);
	x->news++;
	atomic_fetch_add(&x->heard, 1);
	if (x->stop_at_news)
		watch_stop(w);
}

static void on_gone(struct watch_run *w)
{
	struct watcher *x = container_of(w, struct watcher, watch);

	x->gone++;
	/* It may be freed now: whoever looks at it again is found out. */
	memset(w, 0xee, sizeof *w);
}

static void start_fn(void *arg)
{
	watch_start(&((struct watcher *)arg)->watch);
}

static void stop_fn(void *arg)
{
	watch_stop(&((struct watcher *)arg)->watch);
}

static void watcher_start(struct watcher *x, struct lane *l, struct id run)
{
	*x = (struct watcher){ .lane = l };
	x->watch =
		(struct watch_run){ .loop = l->loop, .run = run, .fn = on_news, .gone = on_gone };
	on_lane(l, start_fn, x);
}

static void watcher_stop(struct watcher *x)
{
	on_lane(x->lane, stop_fn, x);
	on_lane(x->lane, nothing_there, NULL);
	assert_int_equal(x->gone, 1);
}

static size_t news_of(struct watcher *x)
{
	on_lane(x->lane, nothing_there, NULL);
	return x->news;
}

/* --- runs of other processes --- */

static size_t elsewhere(struct id *ret, size_t max)
{
	size_t n = watch_elsewhere(ret, max);

	assert_true(n <= max);
	return n;
}

static void runs_of_other_processes_are_looked_for(void **state)
{
	(void)state;
	/* The first two are neighbours, the last one runs here. */
	static const struct id runs[] = { { 1, 9 }, { 1, 9 + 256 }, { 2, 70 }, { 3, 80 } };
	struct live            here = { .id = runs[3] };
	struct lane            l;
	struct watcher         x[5];
	struct id              found[8];
	bool                   seen[3] = { 0 };

	assert_int_equal(elsewhere(found, 8), 0);
	lane_start(&l);
	live_add(&here);
	for (size_t i = 0; i < 4; i++)
		watcher_start(&x[i], &l, runs[i]);
	watcher_start(&x[4], &l, runs[0]); /* the same run once more */
	assert_int_equal(elsewhere(found, 8), 3);
	/* Those that one look has no room for are in a later one. */
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(elsewhere(found, 1), 1);
		for (size_t k = 0; k < 3; k++)
			seen[k] |= found[0].key == runs[k].key && found[0].secret == runs[k].secret;
	}
	assert_true(seen[2] && (seen[0] || seen[1]));
	for (size_t i = 0; i < 5; i++)
		watcher_stop(&x[i]);
	assert_int_equal(elsewhere(found, 8), 0);
	live_remove(&here);
	lane_stop(&l);
}

static void each_is_told_of_a_mark_once(void **state)
{
	(void)state;
	const struct id run = { 6, 60 };
	struct lane     l;
	struct watcher  x[2];

	lane_start(&l);
	watcher_start(&x[0], &l, run);
	watch_mark(run, 5);
	assert_int_equal(news_of(&x[0]), 1);
	watcher_start(&x[1], &l, run);
	watch_mark((struct id){ 6, 61 }, 7);
	watch_mark(run, 5); /* news for who has come since */
	assert_int_equal(news_of(&x[0]), 1);
	assert_int_equal(news_of(&x[1]), 1);
	watch_mark(run, 6);
	assert_int_equal(news_of(&x[0]), 2);
	assert_int_equal(news_of(&x[1]), 2);
	watcher_stop(&x[0]);
	watcher_stop(&x[1]);
	lane_stop(&l);
}

/* --- one loop --- */

static void news_reach_those_who_watch_that_run_alone(void **state)
{
	(void)state;
	/* Neighbours of one bucket: the same secret or the same key is not the same run. */
	static const struct id runs[] = { { 1, 9 }, { 2, 9 }, { 1, 9 + 256 }, { 1, 9 } };
	struct lane            l;
	struct watcher         x[ARRAY_LEN(runs)];

	lane_start(&l);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		watcher_start(&x[i], &l, runs[i]);
	watch_notify(runs[0]);
	assert_int_equal(news_of(&x[0]), 1);
	assert_int_equal(news_of(&x[1]), 0);
	assert_int_equal(news_of(&x[2]), 0);
	assert_int_equal(news_of(&x[3]), 1);
	watch_notify(runs[1]);
	watch_notify((struct id){ 3, 9 });
	assert_int_equal(news_of(&x[0]), 1);
	assert_int_equal(news_of(&x[1]), 1);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		watcher_stop(&x[i]);
	lane_stop(&l);
}

static void watchers_stop_in_any_order(void **state)
{
	(void)state;
	static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	const struct id     run = { 4, 4 };
	struct lane         l;

	lane_start(&l);
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct watcher x[3];
		size_t         want[3] = { 0 };

		for (size_t n = 0; n < 3; n++)
			watcher_start(&x[n], &l, run);
		for (size_t n = 0; n < 3; n++) {
			watch_notify(run);
			for (size_t m = n; m < 3; m++)
				want[orders[i][m]]++;
			on_lane(&l, nothing_there, NULL);
			watcher_stop(&x[orders[i][n]]);
		}
		watch_notify(run);
		on_lane(&l, nothing_there, NULL);
		for (size_t n = 0; n < 3; n++) {
			assert_int_equal(x[n].news, want[n]);
			assert_int_equal(x[n].gone, 1);
		}
	}
	lane_stop(&l);
}

static void many_news_in_one_turn_are_one(void *arg)
{
	struct watcher *x = arg;

	for (int i = 0; i < 100; i++)
		watch_notify((struct id){ 5, 5 });
	CHECK(x->news == 0); /* never from within */
}

static void several_news_become_one(void **state)
{
	(void)state;
	struct lane    l;
	struct watcher x;

	lane_start(&l);
	watcher_start(&x, &l, (struct id){ 5, 5 });
	on_lane(&l, many_news_in_one_turn_are_one, &x);
	assert_int_equal(news_of(&x), 1);
	/* What comes after it was heard is told again. */
	watch_notify((struct id){ 5, 5 });
	assert_int_equal(news_of(&x), 2);
	watcher_stop(&x);
	lane_stop(&l);
}

static void stop_with_news_on_their_way(void *arg)
{
	struct watcher *x = arg;
	struct id       run = x->watch.run;

	watch_notify(run);
	watch_notify(run);
	watch_stop(&x->watch);
	/* The task lies in the loop's inbox, so it can't be gone yet. */
	CHECK(x->gone == 0);
	watch_notify(run);
}

static void who_stops_with_news_on_their_way_hears_none_and_goes_once(void **state)
{
	(void)state;
	struct lane    l;
	struct watcher x;

	lane_start(&l);
	watcher_start(&x, &l, (struct id){ 6, 6 });
	on_lane(&l, stop_with_news_on_their_way, &x);
	on_lane(&l, nothing_there, NULL);
	assert_int_equal(x.news, 0);
	assert_int_equal(x.gone, 1);
	watch_notify((struct id){ 6, 6 });
	on_lane(&l, nothing_there, NULL);
	assert_int_equal(x.gone, 1);
	lane_stop(&l);
}

static void stop_at_once(void *arg)
{
	struct watcher *x = arg;

	watch_stop(&x->watch);
	CHECK(x->gone == 1);
}

static void who_stops_without_news_goes_at_once(void **state)
{
	(void)state;
	struct lane    l;
	struct watcher x;

	lane_start(&l);
	watcher_start(&x, &l, (struct id){ 7, 7 });
	on_lane(&l, stop_at_once, &x);
	lane_stop(&l);
}

static void a_watcher_may_stop_from_within_its_news(void **state)
{
	(void)state;
	struct lane    l;
	struct watcher x;

	lane_start(&l);
	watcher_start(&x, &l, (struct id){ 8, 8 });
	x.stop_at_news = true;
	watch_notify((struct id){ 8, 8 });
	assert_int_equal(news_of(&x), 1);
	assert_int_equal(x.gone, 1);
	watch_notify((struct id){ 8, 8 });
	assert_int_equal(news_of(&x), 1);
	lane_stop(&l);
}

static void a_loop_that_stops_lets_them_go(void **state)
{
	(void)state;
	struct lane    l;
	struct watcher x;

	lane_start(&l);
	watcher_start(&x, &l, (struct id){ 9, 9 });
	on_lane(&l, stop_with_news_on_their_way, &x);
	lane_stop(&l);
	/* What was posted before the stop is answered. */
	assert_int_equal(x.gone, 1);
}

/* --- several loops and threads --- */

enum { LANES = 3, WATCHERS = 6, THREADS = 3, TIMES = 300 };

struct busy {
	pthread_t   thread;
	struct id   run;
	atomic_bool done;
};

static void *notify_main(void *arg)
{
	struct busy *b = arg;

	for (int i = 0; i < TIMES; i++)
		watch_notify(b->run);
	return NULL;
}

static void news_from_other_threads_are_never_lost(void **state)
{
	(void)state;
	const struct id run = { 10, 10 };
	struct lane     lanes[LANES];
	struct watcher  x[WATCHERS];
	struct busy     busy[THREADS];

	for (size_t i = 0; i < LANES; i++)
		lane_start(&lanes[i]);
	for (size_t i = 0; i < WATCHERS; i++)
		watcher_start(&x[i], &lanes[i % LANES], run);
	for (size_t i = 0; i < THREADS; i++) {
		busy[i].run = run;
		assert_int_equal(pthread_create(&busy[i].thread, NULL, notify_main, &busy[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(busy[i].thread, NULL);
	/* After the last of them each has heard at least once more. */
	for (size_t i = 0; i < WATCHERS; i++) {
		size_t before = news_of(&x[i]);

		assert_true(before >= 1 && before <= THREADS * TIMES);
		watch_notify(run);
	}
	for (size_t i = 0; i < WATCHERS; i++) {
		size_t before = news_of(&x[i]);

		watch_notify(run);
		assert_int_equal(news_of(&x[i]), before + 1);
	}
	for (size_t i = 0; i < WATCHERS; i++)
		watcher_stop(&x[i]);
	for (size_t i = 0; i < LANES; i++)
		lane_stop(&lanes[i]);
}

static void *notify_until_done(void *arg)
{
	struct busy *b = arg;

	while (!atomic_load(&b->done))
		watch_notify(b->run);
	return NULL;
}

static void watchers_come_and_go_while_there_are_news(void **state)
{
	(void)state;
	const struct id run = { 11, 11 };
	struct lane     lanes[LANES];
	struct busy     busy[THREADS];

	for (size_t i = 0; i < LANES; i++)
		lane_start(&lanes[i]);
	for (size_t i = 0; i < THREADS; i++) {
		busy[i].run = run;
		atomic_init(&busy[i].done, false);
		assert_int_equal(pthread_create(&busy[i].thread, NULL, notify_until_done, &busy[i]),
				 0);
	}
	for (int n = 0; n < TIMES; n++) {
		/* Freed as soon as it is gone: a late task would be found. */
		struct watcher *x = malloc(sizeof *x);

		assert_non_null(x);
		watcher_start(x, &lanes[n % LANES], run);
		if (n % 3 == 0)
			while (atomic_load(&x->heard) == 0)
				sched_yield();
		watcher_stop(x);
		free(x);
	}
	for (size_t i = 0; i < THREADS; i++)
		atomic_store(&busy[i].done, true);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(busy[i].thread, NULL);
	for (size_t i = 0; i < LANES; i++)
		lane_stop(&lanes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(news_reach_those_who_watch_that_run_alone),
		cmocka_unit_test(watchers_stop_in_any_order),
		cmocka_unit_test(several_news_become_one),
		cmocka_unit_test(who_stops_with_news_on_their_way_hears_none_and_goes_once),
		cmocka_unit_test(who_stops_without_news_goes_at_once),
		cmocka_unit_test(a_watcher_may_stop_from_within_its_news),
		cmocka_unit_test(a_loop_that_stops_lets_them_go),
		cmocka_unit_test(news_from_other_threads_are_never_lost),
		cmocka_unit_test(watchers_come_and_go_while_there_are_news),
		cmocka_unit_test(runs_of_other_processes_are_looked_for),
		cmocka_unit_test(each_is_told_of_a_mark_once),
	};

	return cmocka_run_group_tests_name("desk/watch", tests, NULL, NULL);
}
