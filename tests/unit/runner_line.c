/* runner/session_table: the order in which executions of keys begin. */
#include "runner/internal.h"

#include "base/limits.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PLACES = LIMIT_RUNNER_WAITING + 2 };

static struct line_place places[PLACES];

/* A place for each letter, which is its key. */
static void enter(struct line *l, const char *keys)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	for (size_t i = 0; keys[i]; i++) {
		places[i] = (struct line_place){ .key = NULL };
		assert_true(line_enter(l, &places[i], names[keys[i] - 'a']));
	}
}

/* The numbers of places in the order in which they begin, each when the one before it has ended. */
static void expect_in_turn(const char *keys, const char *order)
{
	struct line        l = { .most = 1 };
	struct line_place *p;
	char               text[64] = "";
	size_t             n = 0;

	enter(&l, keys);
	while ((p = line_next(&l))) {
		assert_null(line_next(&l));
		assert_int_equal(line_begun(&l), 1);
		text[n++] = (char)('0' + (p - places));
		line_leave(p);
	}
	assert_string_equal(text, order);
}

static void keys_take_turns(void **state)
{
	(void)state;
	expect_in_turn("abc", "012");
	expect_in_turn("aaa", "012");
	expect_in_turn("aaab", "0312");
	expect_in_turn("aaabbc", "035142");
	expect_in_turn("aabbaab", "0213465");
}

static void a_key_leaves_a_place_to_others(void **state)
{
	struct line l = { .most = 3 };

	(void)state;
	enter(&l, "aaaabb");
	assert_ptr_equal(line_next(&l), &places[0]);
	/* b has none at work */
	assert_ptr_equal(line_next(&l), &places[4]);
	assert_ptr_equal(line_next(&l), &places[1]);
	assert_null(line_next(&l));
	line_leave(&places[4]);
	/* a has as many as it may have */
	assert_ptr_equal(line_next(&l), &places[5]);
	line_leave(&places[5]);
	assert_null(line_next(&l));
	line_leave(&places[0]);
	assert_ptr_equal(line_next(&l), &places[2]);
	assert_null(line_next(&l));
	line_leave(&places[3]);
	line_leave(&places[1]);
	assert_null(line_next(&l));
	assert_int_equal(line_begun(&l), 1);
}

static void one_place_is_for_all(void **state)
{
	struct line l = { .most = 1 };

	(void)state;
	enter(&l, "aab");
	assert_ptr_equal(line_next(&l), &places[0]);
	assert_null(line_next(&l));
	line_leave(&places[0]);
	assert_ptr_equal(line_next(&l), &places[2]);
}

static void too_many_of_one_key_do_not_wait(void **state)
{
	struct line l = { .most = 1 };

	(void)state;
	for (size_t i = 0; i < PLACES; i++) {
		places[i] = (struct line_place){ .key = NULL };
		bool in = i < LIMIT_RUNNER_WAITING || i == PLACES - 1;
		assert_int_equal(line_enter(&l, &places[i], i == PLACES - 1 ? "b" : "a"), in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_take_turns),
		cmocka_unit_test(a_key_leaves_a_place_to_others),
		cmocka_unit_test(one_place_is_for_all),
		cmocka_unit_test(too_many_of_one_key_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
