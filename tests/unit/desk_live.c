/* The list of unstored runs: added, found, removed, from many threads. */
#include "desk/live.h"
#include "store/run.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct live make(int64_t key, int64_t owner)
{
	struct live l = { .id = { key, (uint64_t)key * 3 }, .owner = owner, .created_ms = key };

	snprintf(l.model, sizeof l.model, "model-%d", (int)key);
	return l;
}

static void a_run_is_found_by_its_whole_id_and_its_owner_only(void **state)
{
	(void)state;
	struct live l = make(7, 1);
	struct live found = { .owner = 99 };

	live_add(&l);
	assert_false(live_find((struct id){ 7, 22 }, 1, &found));
	assert_false(live_find((struct id){ 8, 21 }, 1, &found));
	assert_false(live_find(l.id, 2, &found));
	assert_int_equal(found.owner, 99);
	assert_true(live_find(l.id, 1, &found));
	assert_string_equal(found.model, "model-7");
	assert_int_equal(found.created_ms, 7);
	live_remove(&l);
	assert_false(live_find(l.id, 1, &found));
}

static void runs_are_removed_in_any_order_and_only_once(void **state)
{
	(void)state;
	static const size_t orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 1, 2, 0 } };

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct live l[3] = { make(1, 0), make(2, 0), make(3, 0) };
		struct live never = make(4, 0);
		struct live found;

		for (size_t n = 0; n < 3; n++)
			live_add(&l[n]);
		live_remove(&never);
		for (size_t n = 0; n < 3; n++) {
			live_remove(&l[orders[i][n]]);
			live_remove(&l[orders[i][n]]);
			for (size_t m = 0; m < 3; m++)
				assert_int_equal(live_find(l[orders[i][m]].id, 0, &found), m > n);
		}
	}
}

static void a_status_that_is_set_is_the_one_found(void **state)
{
	(void)state;
	struct live l = make(1, 0);
	struct live found;

	live_add(&l);
	assert_true(live_find(l.id, 0, &found));
	assert_int_equal(found.status, RUN_QUEUED);
	live_set_status(&l, RUN_RUNNING);
	assert_true(live_find(l.id, 0, &found));
	assert_int_equal(found.status, RUN_RUNNING);
	live_remove(&l);
}

enum { THREADS = 4, TIMES = 200 };

struct busy {
	pthread_t thread;
	int64_t   number;
	size_t    wrong;
};

static void *busy_main(void *arg)
{
	struct busy *b = arg;

	for (int64_t i = 0; i < TIMES; i++) {
		struct live l = make(b->number * TIMES + i + 1, b->number);
		struct live found;
		struct id   neighbour = { (b->number + 1) % THREADS * TIMES + i + 1, 0 };

		neighbour.secret = (uint64_t)neighbour.key * 3;
		live_add(&l);
		live_set_status(&l, RUN_RUNNING);
		if (!live_find(l.id, b->number, &found) || found.status != RUN_RUNNING)
			b->wrong++;
		/* It may be there or not; it must never be half there. */
		if (live_find(neighbour, (b->number + 1) % THREADS, &found) &&
		    found.created_ms != neighbour.key)
			b->wrong++;
		live_remove(&l);
		if (live_find(l.id, b->number, &found))
			b->wrong++;
	}
	return NULL;
}

static void many_threads_may_use_the_list(void **state)
{
	(void)state;
	struct busy busy[THREADS] = { 0 };

	for (size_t i = 0; i < THREADS; i++) {
		busy[i].number = (int64_t)i;
		assert_int_equal(pthread_create(&busy[i].thread, NULL, busy_main, &busy[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(busy[i].thread, NULL);
		assert_int_equal(busy[i].wrong, 0);
	}
}

static void *look_main(void *arg)
{
	const struct live *l = arg;
	struct live        found;
	uintptr_t          times = 0;

	for (int i = 0; i < TIMES; i++)
		times += live_look(l->id, l->owner, &found);
	return (void *)times;
}

/* For the thread sanitizer: a look takes nothing of what the run's loop changes without the lock. */
static void the_run_writes_what_is_its_own_while_others_look(void **state)
{
	(void)state;
	struct live l = make(9, 1);
	pthread_t   thread;
	void       *times;

	live_add(&l);
	assert_int_equal(pthread_create(&thread, NULL, look_main, &l), 0);
	for (int i = 0; i < TIMES; i++)
		l.log.http = (int16_t)i;
	pthread_join(thread, &times);
	live_remove(&l);
	assert_int_equal((uintptr_t)times, TIMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_found_by_its_whole_id_and_its_owner_only),
		cmocka_unit_test(runs_are_removed_in_any_order_and_only_once),
		cmocka_unit_test(a_status_that_is_set_is_the_one_found),
		cmocka_unit_test(many_threads_may_use_the_list),
		cmocka_unit_test(the_run_writes_what_is_its_own_while_others_look),
	};

	return cmocka_run_group_tests_name("desk/live", tests, NULL, NULL);
}
