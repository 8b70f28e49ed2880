/* Shares of limits: one process has all; many get no more than there is. */
#include "tests/unit/engine_help.h"
#include "store/share.h"
#include "store/store.h"

#include <stdatomic.h>

enum { REQUESTS, TOKENS, CALLS };
enum { HOUR_MS = 3600 * 1000 };

/* What the process gives back. */
static struct {
	pthread_mutex_t   lock;
	struct share_keep list[4];
	size_t            count;
	unsigned          told, again;
} spare = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t take_spare(struct share_keep *ret, size_t max, bool again)
{
	pthread_mutex_lock(&spare.lock);
	size_t n = spare.count;

	assert_true(n <= max);
	memcpy(ret, spare.list, n * sizeof *ret);
	spare.count = 0;
	spare.told++;
	spare.again += again;
	pthread_mutex_unlock(&spare.lock);
	return n;
}

static size_t watch_nothing(struct id *ret, size_t max)
{
	(void)ret;
	(void)max;
	return 0;
}

static void no_news(struct id run, uint64_t mark)
{
	(void)run;
	(void)mark;
}

static void no_cancel(struct id run, int64_t owner)
{
	(void)run;
	(void)owner;
}

static const struct store_neighbours neighbours = { watch_nothing, no_news, no_cancel, take_spare };

static int set_up_open(void **state)
{
	struct fixture *f;

	set_up(state);
	f = *state;
	f->options.neighbours = &neighbours;
	open_store(f);
	return 0;
}

static struct share_want want(int64_t key, int policy, int64_t limit, int64_t least)
{
	return (struct share_want){
		.key = key,
		.policy = policy,
		.limit = limit,
		.window_ms = policy == CALLS ? 0 : HOUR_MS,
		.least = least,
		.more = true,
	};
}

static struct share_want take(struct fixture *f, struct share_want w)
{
	struct share_take t = { .count = 1, .wants = { w } };

	assert_int_equal(DO(f, share_take, &t), ERR_OK);
	return t.wants[0];
}

static void keep(struct fixture *f, struct share_keep k)
{
	pthread_mutex_lock(&spare.lock);
	spare.list[spare.count++] = k;
	unsigned told = spare.told;
	pthread_mutex_unlock(&spare.lock);
	/* The second look comes when the first one's words are stored. */
	for (bool done = false; !done;) {
		pthread_mutex_lock(&spare.lock);
		done = spare.told >= told + 2;
		pthread_mutex_unlock(&spare.lock);
		nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000000 }, NULL);
	}
	(void)f;
}

/* Another gateway that lives, and has taken so much. */
static void other(struct fixture *f, int64_t gateway, int64_t key, int policy, int64_t taken)
{
	char sql[512];

	snprintf(
		sql, sizeof sql,
		"INSERT INTO gateway (id, lane, lease_until) VALUES (%lld, %lld, now() + interval '1 "
		"hour') ON CONFLICT DO NOTHING; INSERT INTO rate_share SELECT key, policy, %lld, began_ms, "
		"window_ms, %lld FROM rate_share WHERE key = %lld AND policy = %d AND gateway = 0",
		(long long)gateway, (long long)gateway, (long long)gateway, (long long)taken,
		(long long)key, policy);
	outside(f, sql);
}

/* In a store that is not shared, everything is there. */
static bool is_shared(struct fixture *f)
{
	if (store_is_shared(f->store))
		return true;
	assert_int_equal(take(f, want(7, REQUESTS, 3, 2)).granted, 2);
	return false;
}

static void of_large_limits_there_are_shares(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	struct share_want w = take(f, want(7, REQUESTS, 400, 1));
	assert_int_equal(w.granted, 100); /* 400 / (4 * 1) */
	assert_int_equal(w.left, 300);
	assert_int_equal(w.keep, 100);
	assert_int_in_range(w.rest_ms, HOUR_MS - 60000, HOUR_MS);
	int64_t window = w.window;
	w = want(7, REQUESTS, 400, 1);
	w.more = false;
	w = take(f, w);
	assert_int_equal(w.granted, 1);
	assert_int_equal(w.left, 299);
	assert_int_equal(w.window, window);
	other(f, 5, 7, REQUESTS, 99);
	w = take(f, want(7, REQUESTS, 400, 1));
	assert_int_equal(w.granted, 25); /* 200 / (4 * 2) */
	assert_int_equal(w.left, 175);
	/* All or nothing of what is needed. */
	w = take(f, want(7, REQUESTS, 400, 176));
	assert_int_equal(w.granted, 0);
	assert_int_equal(w.left, 175);
	w = take(f, want(7, REQUESTS, 400, 175));
	assert_int_equal(w.granted, 175);
	/* Other limits are others. */
	assert_int_equal(take(f, want(7, TOKENS, 100, 1)).left, 100 - 12);
	assert_int_equal(take(f, want(0, REQUESTS, 100, 1)).left, 100 - 12);
	/* A smaller one is passed already. */
	w = take(f, want(7, REQUESTS, 100, 1));
	assert_int_equal(w.granted, 0);
	assert_int_equal(w.left, -300);
	assert_int_equal(w.keep, 0);
}

static void of_small_limits_there_is_what_is_needed(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	for (int i = 0; i < 15; i++)
		assert_int_equal(take(f, want(7, REQUESTS, 15, 1)).granted, 1);
	assert_int_equal(take(f, want(7, REQUESTS, 15, 1)).granted, 0);
	assert_int_equal(outside_int(f, "SELECT sum(taken) FROM rate_share"), 15);
}

static void several_limits_are_asked_at_once(void **state)
{
	struct fixture *f = *state;
	enum { N = 100 };
	struct share_take t[N];
	size_t            done = f->loop.done + N;

	if (!is_shared(f))
		return;
	for (int i = 0; i < N; i++) {
		t[i] = (struct share_take){ .count = 3,
					    .wants = { want(1 + i % 50, REQUESTS, 3, 1),
						       want(1 + i % 50, CALLS, 1, 1),
						       want(0, TOKENS, 1000, 10) } };
		t[i].wants[2].more = false;
		assert_true(SUBMIT(f, share_take, &t[i]));
	}
	loop_until(&f->loop, done);
	for (int i = 0; i < N; i++) {
		assert_int_equal(t[i].job.err.code, ERR_OK);
		assert_int_equal(t[i].wants[0].granted, 1);
		assert_int_equal(t[i].wants[1].granted, i < 50 ? 1 : 0);
		assert_int_equal(t[i].wants[2].granted, 10);
		assert_int_equal(t[i].wants[2].left, 1000 - 10 * (i + 1));
	}
}

static void what_is_kept_is_told_and_the_rest_is_free(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	struct share_want w = take(f, want(7, REQUESTS, 400, 1));
	keep(f, (struct share_keep){ 7, REQUESTS, w.window, 3 });
	w = take(f, want(7, REQUESTS, 400, 397));
	assert_int_equal(w.granted, 397);
	/* Of another window, nothing. */
	keep(f, (struct share_keep){ 7, REQUESTS, w.window - 1, 0 });
	assert_int_equal(take(f, want(7, REQUESTS, 400, 1)).granted, 0);
	/* Tokens may be more than was estimated. */
	w = take(f, want(7, TOKENS, 100, 90));
	keep(f, (struct share_keep){ 7, TOKENS, w.window, 150 });
	assert_int_equal(take(f, want(7, TOKENS, 100, 1)).left, -50);
	w = take(f, want(7, CALLS, 1, 1));
	assert_int_equal(w.granted, 1);
	assert_int_equal(take(f, want(7, CALLS, 1, 1)).granted, 0);
	keep(f, (struct share_keep){ 7, CALLS, w.window, 0 });
	assert_int_equal(take(f, want(7, CALLS, 1, 1)).granted, 1);
	keep(f, (struct share_keep){ 7, CALLS, 0, 0 }); /* its beginning was not answered */
	assert_int_equal(take(f, want(7, CALLS, 1, 1)).granted, 1);
}

static void a_window_ends_for_all(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	struct share_want w = take(f, want(7, REQUESTS, 10, 10));
	other(f, 5, 7, REQUESTS, 0);
	assert_int_equal(take(f, want(7, REQUESTS, 10, 1)).granted, 0);
	outside(f, "UPDATE rate_share SET began_ms = began_ms - 3600000, taken = 10");
	struct share_want next = take(f, want(7, REQUESTS, 10, 1));
	assert_int_equal(next.granted, 1);
	assert_int_equal(next.left, 9);
	assert_true(next.window > w.window);
	/* A clock that was set back does not make a window of years. */
	outside(f, "UPDATE rate_share SET began_ms = began_ms + 86400000");
	assert_int_equal(take(f, want(7, REQUESTS, 10, 1)).left, 9);
}

static void calls_of_dead_gateways_do_not_count(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	assert_int_equal(take(f, want(7, CALLS, 3, 1)).granted, 1);
	other(f, 5, 7, CALLS, 2);
	assert_int_equal(take(f, want(7, CALLS, 3, 1)).granted, 0);
	outside(f, "UPDATE gateway SET dead = 1 WHERE id = 5");
	assert_int_equal(take(f, want(7, CALLS, 3, 1)).granted, 1);
	/* Their shares of a window do. */
	assert_int_equal(take(f, want(7, REQUESTS, 3, 1)).granted, 1);
	other(f, 6, 7, REQUESTS, 2);
	outside(f, "UPDATE gateway SET dead = 1 WHERE id = 6");
	assert_int_equal(take(f, want(7, REQUESTS, 3, 1)).granted, 0);
}

static void rows_that_count_no_more_are_swept(void **state)
{
	struct fixture *f = *state;

	if (!is_shared(f))
		return;
	assert_int_equal(take(f, want(7, REQUESTS, 3, 1)).granted, 1);
	assert_int_equal(take(f, want(8, REQUESTS, 3, 1)).granted, 1);
	assert_int_equal(take(f, want(8, CALLS, 3, 1)).granted, 1);
	other(f, 5, 8, CALLS, 1);
	close_store(f); /* its own calls end with it */
	outside(f, "UPDATE rate_share SET began_ms = began_ms - 3670000 WHERE key = 7");
	open_store(f);
	for (int i = 0; i < 200 && outside_int(f, "SELECT count(*) FROM rate_share") > 4; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000000 }, NULL);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM rate_share WHERE key = 8"), 4);
	assert_int_equal(outside_int(f, "SELECT count(*) FROM rate_share"), 4);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up_open, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(of_large_limits_there_are_shares),
		T(of_small_limits_there_is_what_is_needed),
		T(several_limits_are_asked_at_once),
		T(what_is_kept_is_told_and_the_rest_is_free),
		T(a_window_ends_for_all),
		T(calls_of_dead_gateways_do_not_count),
		T(rows_that_count_no_more_are_swept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
