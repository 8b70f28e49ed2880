/* Ids: ordered, unique over threads, and read back only when they are exact. */
#include "base/base.h"
#include "base/clock.h"
#include "base/id.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BODY "00000000000000ff0123456789abcdef"

static void ids_are_ordered_and_unguessable(void **state)
{
	(void)state;
	struct id last = id_new();

	assert_true(last.key > 0);
	assert_false(id_none(last));
	assert_true(id_none((struct id){ 0 }));
	for (int i = 0; i < 100000; i++) {
		struct id id = id_new();

		assert_true(id.key > last.key);
		assert_true(id.secret != last.secret);
		last = id;
	}
}

static void a_time_has_a_smallest_key(void **state)
{
	(void)state;
	int64_t before = clock_wall_ms();
	int64_t key = id_new().key;

	assert_true(id_key_at(before) <= key);
	assert_true(id_key_at(clock_wall_ms() + 60000) > key);
	assert_int_equal(id_key_at(-1), 0);
	assert_int_equal(id_key_at(0), 0);
	assert_true(id_key_at(INT64_MAX) > id_key_at(before));
	assert_true(id_key_at(INT64_MAX) > 0);
}

static int lane_of(int64_t key)
{
	return (int)(key >> 11) & (ID_LANES - 1);
}

static void lanes_have_no_key_in_common(void **state)
{
	static const int lanes[] = { 0, 1, 7, ID_LANES - 1, 1, 0 };
	const int64_t    ms = (int64_t)1 << 20;
	int64_t          last = id_new().key;

	(void)state;
	/* A clock that stands still, too: the floor is ahead of it. */
	id_floor(last + ((int64_t)1 << 41));
	for (size_t turn = 0; turn < ARRAY_LEN(lanes); turn++) {
		id_lane(lanes[turn]);
		for (int i = 0; i < 3 << 11; i++) { /* more than a lane has in one millisecond */
			int64_t key = id_new().key;

			assert_true(key > last);
			assert_int_equal(lane_of(key), lanes[turn]);
			last = key;
		}
	}
	id_lane(1);
	id_floor(last | (ms - 1)); /* the end of a millisecond */
	assert_int_equal(id_new().key, (last | (ms - 1)) + 1 + (1 << 11));
	id_lane(0);
}

static void no_key_is_at_or_below_the_floor(void **state)
{
	(void)state;
	int64_t floor = id_new().key + ((int64_t)1 << 40);

	id_floor(floor);
	assert_true(id_new().key > floor);
	id_floor(0);
	assert_true(id_new().key > floor);
}

enum { THREADS = 4, EACH = 20000 };

static void *make_ids(void *arg)
{
	int64_t *keys = arg;

	for (int i = 0; i < EACH; i++)
		keys[i] = id_new().key;
	return NULL;
}

static int by_key(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static void threads_never_share_a_key(void **state)
{
	(void)state;
	static int64_t keys[THREADS * EACH];
	pthread_t      threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_ids, keys + i * EACH), 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	qsort(keys, ARRAY_LEN(keys), sizeof *keys, by_key);
	for (size_t i = 1; i < ARRAY_LEN(keys); i++)
		assert_true(keys[i] > keys[i - 1]);
}

static void a_text_leads_back_to_its_id(void **state)
{
	(void)state;
	static const char *const prefixes[] = { ID_CONVERSATION, ID_MESSAGE, ID_RUN,
						ID_COMPLETION };

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		char       text[ID_MAX];
		struct id  id = id_new();
		struct id  back = { 0 };
		struct str s = id_text(id, prefixes[i], text);

		assert_int_equal(s.n, strlen(prefixes[i]) + ID_BODY);
		assert_int_equal(strlen(text), s.n);
		assert_true(str_starts(s, str_of(prefixes[i])));
		assert_true(id_parse(s, prefixes[i], &back));
		assert_true(back.key == id.key && back.secret == id.secret);
	}
}

static void only_an_exact_text_is_an_id(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		const char *text;
		bool        fine;
	} rows[] = {
		{ "exact", "run_" BODY, true },
		{ "the biggest key", "run_7fffffffffffffff0123456789abcdef", true },
		{ "empty", "", false },
		{ "only the prefix", "run_", false },
		{ "another prefix", "msg_" BODY, false },
		{ "the prefix in capitals", "RUN_" BODY, false },
		{ "a digit short", "run_0000000000000ff0123456789abcdef", false },
		{ "a digit more", "run_" BODY "0", false },
		{ "a capital digit", "run_00000000000000Ff0123456789abcdef", false },
		{ "no digit", "run_00000000000000fg0123456789abcdef", false },
		{ "no digit in the secret", "run_00000000000000ff0123456789abcde ", false },
		{ "key zero", "run_00000000000000000123456789abcdef", false },
		{ "a negative key", "run_80000000000000000123456789abcdef", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct id id = { 77, 77 };

		if (id_parse(str_of(rows[i].text), "run_", &id) != rows[i].fine)
			fail_msg("%s", rows[i].why);
		if (!rows[i].fine)
			assert_true(id.key == 77 && id.secret == 77);
	}
}

static void request_ids_have_their_form(void **state)
{
	(void)state;
	char       a[ID_MAX];
	char       b[ID_MAX];
	struct str s = id_request(a);

	assert_int_equal(s.n, 36);
	assert_int_equal(strlen(a), 36);
	assert_int_equal(strspn(a + 4, "0123456789abcdef"), 32);
	assert_true(str_starts(s, STR("req_")));
	(void)id_request(b);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_ordered_and_unguessable),
		cmocka_unit_test(a_time_has_a_smallest_key),
		cmocka_unit_test(threads_never_share_a_key),
		cmocka_unit_test(lanes_have_no_key_in_common),
		cmocka_unit_test(no_key_is_at_or_below_the_floor),
		cmocka_unit_test(a_text_leads_back_to_its_id),
		cmocka_unit_test(only_an_exact_text_is_an_id),
		cmocka_unit_test(request_ids_have_their_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
