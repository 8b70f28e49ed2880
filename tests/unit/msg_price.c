/* Money and prices: exact, rounded up once, and never more than what was reserved. */
#include "msg/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void decimals_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		int64_t     nano;
	} good[] = {
		{ "0", 0 },
		{ "0.075", 75000000 },
		{ "12", 12 * MONEY_ONE },
		{ "0.000000001", 1 },
		{ "1.5", MONEY_ONE + MONEY_ONE / 2 },
		{ "100000000", MONEY_MOST },
		{ "007", 7 * MONEY_ONE },
	};
	static const char *const bad[] = { "",
					   ".",
					   ".5",
					   "5.",
					   "-1",
					   "+1",
					   "1e3",
					   "0x1",
					   " 1",
					   "1 ",
					   "1,5",
					   "0.0000000001",
					   "100000000.000000001",
					   "99999999999999999999",
					   "1.2.3",
					   "nan" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		int64_t v = -1;

		assert_true(money_read(str_of(good[i].text), &v));
		assert_int_equal(v, good[i].nano);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int64_t v;

		if (money_read(str_of(bad[i]), &v))
			fail_msg("'%s' was read", bad[i]);
	}
}

static void amounts_are_printed_without_zeros(void **state)
{
	char text[MONEY_TEXT];

	(void)state;
	assert_string_equal(money_print(0, text), "0");
	assert_string_equal(money_print(1, text), "0.000000001");
	assert_string_equal(money_print(75000000, text), "0.075");
	assert_string_equal(money_print(120 * MONEY_ONE, text), "120");
	assert_string_equal(money_print(MONEY_MOST, text), "100000000");
	assert_int_equal(money_add(MONEY_MOST, 1), MONEY_MOST);
}

static const struct price mini = { true,      150000000, 600000000, 75000000,
				   150000000, 300000000, 600000000 };

static void a_call_costs_what_its_tokens_do(void **state)
{
	struct usage u = { .known = true, .in = 1000, .out = 100, .cached_read = 400 };

	(void)state;
	/* 600 * 150 + 400 * 75 + 100 * 600, thousand-millionths each */
	assert_int_equal(price_cost(&mini, &u), 90000 + 30000 + 60000);
	assert_int_equal(price_cost(&(struct price){ 0 }, &u), 0);
	/* 300 of 500 written tokens stay for an hour: 100 * 150 + 400 * 75 + 200 * 150 + 300 * 300
	 * + 100 * 600 */
	u.cached_write = 500;
	u.cached_hour = 300;
	assert_int_equal(price_cost(&mini, &u), 15000 + 30000 + 30000 + 90000 + 60000);
	struct price fine = { true, 1, 0, 1, 1, 2, 0 };
	assert_int_equal(price_cost(&fine, &(struct usage){ .in = 1 }),
			 1); /* a millionth, rounded up */
	assert_int_equal(price_cost(&fine, &(struct usage){ .in = 1000001 }), 2);
}

static void no_usage_costs_more_than_the_most(void **state)
{
	static const int64_t odd[] = { -5, 0, 1, 7, 999, 1000, INT64_MAX, INT64_MIN };
	struct price         p = mini;

	(void)state;
	p.cache_write = 2 * p.input;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		for (size_t k = 0; k < ARRAY_LEN(odd); k++)
			for (size_t n = 0; n < ARRAY_LEN(odd); n++) {
				struct usage u = { .in = 1000,
						   .out = 1000,
						   .cached_read = odd[i],
						   .cached_write = odd[k],
						   .cached_hour = odd[(i + k) % ARRAY_LEN(odd)],
						   .reasoning = odd[n] };

				assert_true(price_cost(&p, &u) <= price_most(&p, 1000, 1000));
			}
	struct usage wild = { .in = INT64_MAX, .out = INT64_MAX };
	p.input = p.output = MONEY_MOST;
	assert_int_equal(price_cost(&p, &wild), MONEY_MOST);
}

static void the_dearer_of_each_kind_counts(void **state)
{
	struct price a = mini;
	struct price b = { true, 1, 700000000, 1, 1, 1, 1 };

	(void)state;
	price_dearer(&a, &b);
	assert_int_equal(a.input, mini.input);
	assert_int_equal(a.output, b.output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_are_read_exactly),
		cmocka_unit_test(amounts_are_printed_without_zeros),
		cmocka_unit_test(a_call_costs_what_its_tokens_do),
		cmocka_unit_test(no_usage_costs_more_than_the_most),
		cmocka_unit_test(the_dearer_of_each_kind_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
