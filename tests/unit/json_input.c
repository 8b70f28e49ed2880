/* What requests' bodies count for, one by one and together. */
#include "base/limits.h"
#include "json/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void large_ones_share_a_bound(void **state)
{
	struct input *a = input_create(MIB);
	struct input *b = input_create(MIB);

	(void)state;
	assert_true(a && b);
	assert_true(input_hold(a, 300 * KIB, 512 * KIB));
	assert_false(input_hold(b, 300 * KIB, 512 * KIB));
	assert_int_equal(input_held(), 300 * KIB);
	assert_true(input_hold(b, 212 * KIB, 512 * KIB));
	assert_false(input_hold(b, 212 * KIB + 1, 512 * KIB));
	assert_true(input_hold(a, 1, 512 * KIB)); /* it only ever grows */
	assert_int_equal(input_held(), 512 * KIB);
	input_drop_body(a);
	assert_int_equal(input_held(), 212 * KIB);
	assert_true(input_hold(b, 512 * KIB, 512 * KIB));
	input_destroy(b);
	assert_true(input_hold(a, 512 * KIB, 512 * KIB));
	input_destroy(a);
	assert_int_equal(input_held(), 0);
}

static void small_ones_always_have_room(void **state)
{
	struct input *a = input_create(MIB);
	struct input *b = input_create(MIB);

	(void)state;
	assert_true(a && b);
	assert_true(input_hold(a, MIB, MIB));
	assert_true(input_hold(b, LIMIT_BODY_FREE, MIB));
	assert_false(input_hold(b, LIMIT_BODY_FREE + 1, MIB)); /* all are far above the bound */
	assert_false(input_hold(b, SIZE_MAX, MIB));
	assert_int_equal(input_held(), MIB + LIMIT_BODY_FREE);
	input_destroy(a);
	input_destroy(b);
	assert_int_equal(input_held(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_ones_share_a_bound),
		cmocka_unit_test(small_ones_always_have_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
