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

static void numbers_are_read_to_the_nearest_billionth(void **state)
{
	static const struct {
		const char *text;
		int         tens;
		int64_t     nano;
	} good[] = {
		{ "0", 6, 0 },
		{ "1.5e-07", 6, 150000000 },
		{ "2.9999999999999997e-07", 6, 300000000 },
		{ "1.0000000000000001e-07", 6, 100000000 },
		{ "0.000003", 6, 3 * MONEY_ONE },
		{ "3E-6", 6, 3 * MONEY_ONE },
		{ "1e-16", 6, 0 },
		{ "5e-16", 6, 1 },
		{ "0.00014", 0, 140000 },
		{ "12", 0, 12 * MONEY_ONE },
		{ "1.2e+1", 0, 12 * MONEY_ONE },
		{ "37756000", -10, 3775600 },
		{ "4", -10, 0 },
		{ "5", -10, 1 },
		{ "100000000", 0, MONEY_MOST },
		{ "0.0e999", 0, 0 },
		{ "1e-999", 6, 0 },
	};
	static const char *const bad[] = { "",    "-1", "1e",    "1e+",       "1e9999",
					   "1.",  ".5", "1e300", "100000001", "100000000.1",
					   "nan", "1x", "1e1.5", "1.2.3" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		int64_t v = -1;

		if (!money_number(str_of(good[i].text), good[i].tens, &v) || v != good[i].nano)
			fail_msg("%s: %lld", good[i].text, (long long)v);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int64_t v;

		if (money_number(str_of(bad[i]), 0, &v))
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

static const struct price mini = {
	.known = true,
	.input = 150000000,
	.output = 600000000,
	.cached = 75000000,
	.cache_write = 150000000,
	.cache_write_1h = 300000000,
	.reasoning = 600000000,
};

static void a_call_costs_what_its_tokens_do(void **state)
{
	struct usage u = { .known = true, .in = 1000, .out = 100, .cached_read = 400 };

	(void)state;
	/* 600 * 150 + 400 * 75 + 100 * 600, thousand-millionths each */
	assert_int_equal(price_cost(&mini, &u, 0), 90000 + 30000 + 60000);
	assert_int_equal(price_cost(&(struct price){ 0 }, &u, 0), 0);
	/* 300 of 500 written tokens stay for an hour: 100 * 150 + 400 * 75 + 200 * 150 + 300 * 300
	 * + 100 * 600 */
	u.cached_write = 500;
	u.cached_hour = 300;
	assert_int_equal(price_cost(&mini, &u, 0), 15000 + 30000 + 30000 + 90000 + 60000);
	struct price fine = { .known = true, .input = 1, .cached = 1, .cache_write = 1 };
	assert_int_equal(price_cost(&fine, &(struct usage){ .in = 1 }, 0),
			 1); /* a millionth, rounded up */
	assert_int_equal(price_cost(&fine, &(struct usage){ .in = 1000001 }, 0), 2);
}

static void no_usage_costs_more_than_the_most(void **state)
{
	static const int64_t odd[] = { -5, 0, 1, 7, 999, 1000, INT64_MAX, INT64_MIN };
	struct price         p = mini;

	(void)state;
	p.cache_write = 2 * p.input;
	p.audio_in = 3 * p.input;
	p.audio_out = 4 * p.output;
	p.image = 7;
	p.call = 11;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		for (size_t k = 0; k < ARRAY_LEN(odd); k++)
			for (size_t n = 0; n < ARRAY_LEN(odd); n++) {
				struct usage u = { .in = 1000,
						   .out = 1000,
						   .cached_read = odd[i],
						   .cached_write = odd[k],
						   .cached_hour = usage_small(
							   odd[(i + k) % ARRAY_LEN(odd)]),
						   .audio_in = (int32_t)(odd[n] / 3),
						   .audio_out = (int32_t)odd[k],
						   .image_out = (int32_t)odd[i],
						   .images = (uint16_t)odd[n],
						   .reasoning = odd[n] };

				assert_true(price_cost(&p, &u, 0) <= price_most(&p, 1000, 1000, 1));
			}
	struct usage wild = { .in = INT64_MAX, .out = INT64_MAX };
	p.input = p.output = MONEY_MOST;
	assert_int_equal(price_cost(&p, &wild, 0), MONEY_MOST);
}

static void the_dearer_of_each_kind_counts(void **state)
{
	struct price a = mini;
	struct price b = { .known = true, .input = 1, .output = 700000000 };

	(void)state;
	price_dearer(&a, &b);
	assert_int_equal(a.input, mini.input);
	assert_int_equal(a.output, b.output);
}

static void tokens_for_an_amount_never_cost_more(void **state)
{
	const struct price p = {
		.known = true, .input = 5, .output = 2 * MONEY_ONE, .reasoning = 3 * MONEY_ONE
	};
	const struct price free = { .known = true };

	(void)state;
	for (int64_t nano = 1; nano < MONEY_ONE; nano = nano * 7 + 3) {
		int64_t n = price_tokens_for(&p, nano);

		assert_true(price_most(&p, 0, n, 0) <= nano && price_most(&p, 0, n + 1, 0) > nano);
	}
	assert_int_equal(price_tokens_for(&p, 0), 0);
	assert_int_equal(price_tokens_for(&p, -5), 0);
	assert_int_equal(price_tokens_for(&p, MONEY_MOST), PRICE_TOKENS);
	assert_int_equal(price_tokens_for(&free, 1), PRICE_TOKENS);
}

static void hours_have_one_form(void **state)
{
	static const char *const bad[] = {
		"",           "16:30",        "16:30-24:01",  "24:00-01:00",  "1630-0030",
		"16:30-0:60", "16:30-00:30x", "-16:30-00:30", "16:30 - 00:30"
	};
	uint16_t from, to;

	(void)state;
	assert_true(price_hours(STR("16:30-00:30"), &from, &to) && from == 990 && to == 30);
	assert_true(price_hours(STR("0:00-24:00"), &from, &to) && from == 0 && to == 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (price_hours(str_of(bad[i]), &from, &to))
			fail_msg("'%s' was read", bad[i]);
}

enum { UNSET = -1 };
#define RATES(in, out)                                                          \
	{                                                                       \
		in, out, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET \
	}

/* A price with everything: hours that go over midnight, tiers, a class with rates of its own, and another one with a
 * factor. */
static const struct price_layer all_layers[] = {
	{ .days = 1 << 6, .from = 22 * 60, .to = 2 * 60, .rates = RATES(5 * MONEY_ONE, UNSET) },
	{ .above = 1000, .rates = RATES(20 * MONEY_ONE, 30 * MONEY_ONE) },
	{ .above = 2000, .rates = RATES(UNSET, 40 * MONEY_ONE) },
	{ .class = CLASS_PRIORITY, .rates = RATES(100 * MONEY_ONE, UNSET) },
	{ .class = CLASS_PRIORITY, .above = 1000, .rates = RATES(UNSET, 300 * MONEY_ONE) },
};
static const struct price_rules all_rules = {
	.factor = { [CLASS_FLEX] = MONEY_ONE / 2, [CLASS_FAST] = 3 * MONEY_ONE },
	.base = RATES(10 * MONEY_ONE, 10 * MONEY_ONE),
	.count = ARRAY_LEN(all_layers),
	.layers = all_layers,
};
static const struct price all = { .known = true, .rules = &all_rules };

static void layers_lie_over_each_other(void **state)
{
	enum { SUNDAY = 3 * 24 * 60, MONDAY = SUNDAY + 24 * 60 }; /* minutes after a Thursday */
	static const struct {
		int64_t in, minute;
		enum usage_class class;
		int64_t cost; /* of these tokens and one of output, in millionths */
	} cases[] = {
		{ 1, 0, CLASS_UNTOLD, 10 + 10 },
		{ 1, SUNDAY + 22 * 60, CLASS_UNTOLD, 5 + 10 },
		{ 1, SUNDAY + 22 * 60 - 1, CLASS_UNTOLD, 10 + 10 },
		{ 1, MONDAY + 119, CLASS_UNTOLD, 5 + 10 },
		{ 1, MONDAY + 120, CLASS_UNTOLD, 10 + 10 },
		{ 1, SUNDAY + 60, CLASS_UNTOLD, 10 + 10 }, /* these were Saturday's */
		{ 1000, 0, CLASS_UNTOLD, 10000 + 10 },
		{ 1001, SUNDAY + 23 * 60, CLASS_UNTOLD, 20020 + 30 },
		{ 2001, 0, CLASS_UNTOLD, 20010 + 40 }, /* its input is the base's */
		{ 1, 0, CLASS_STANDARD, 10 + 10 },
		{ 2, 0, CLASS_FLEX, 10 + 5 },
		{ 1001, 0, CLASS_FAST, 60060 + 90 },
		{ 1, 0, CLASS_PRIORITY, 100 + 10 },
		{ 1001, 0, CLASS_PRIORITY, 100100 + 300 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct usage u = { .in = cases[i].in, .out = 1, .class = (uint8_t)cases[i].class };
		int64_t      cost = price_cost(&all, &u, cases[i].minute * 60000);

		if (cost != cases[i].cost * 1000)
			fail_msg("%zu: %lld", i, (long long)cost);
	}
	assert_int_equal(price_tier(&all, 1000), 0);
	assert_int_equal(price_tier(&all, 1001), 1000);
	assert_int_equal(price_tier(&all, 5000), 2000);
}

/* Every class, tier and hour against what is reserved for those who ask for it, or for none. */
static void no_call_costs_more_than_the_dearest(void **state)
{
	static const int64_t prompts[] = { 0, 1, 999, 1000, 1001, 2000, 2001, 100000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(prompts); i++)
		for (int class = 0; class < CLASS__COUNT; class ++)
			for (int64_t hour = 0; hour < 7 * 24; hour++) {
				struct usage u = { .in = prompts[i],
						   .out = 7,
						   .cached_read = prompts[i] / 2,
						   .cached_write = prompts[i] / 3,
						   .cached_hour = (int32_t)(prompts[i] / 4),
						   .class = (uint8_t) class };
				int64_t      cost = price_cost(&all, &u, hour * 3600000);
				struct price asked =
					price_dearest(&all, prompts[i], (enum usage_class) class);
				struct price none = price_dearest(&all, prompts[i], CLASS_UNTOLD);

				assert_true(cost <= price_most(&asked, prompts[i], 7, 1));
				if (class != CLASS_BATCH)
					assert_true(cost <= price_most(&none, prompts[i], 7, 1));
			}
	/* Who asks for a class may get the standard one instead, and for none but a short prompt does not pay
	 * for long ones. */
	struct price flex = price_dearest(&all, 1000, CLASS_FLEX);
	struct price standard = price_dearest(&all, 1000, CLASS_STANDARD);
	assert_int_equal(flex.input, 10 * MONEY_ONE);
	assert_int_equal(standard.output, 10 * MONEY_ONE);
	/* Products that nobody pays. */
	struct price_rules most = { .factor = { [CLASS_FAST] = PRICE_FACTOR } };
	for (size_t i = 0; i < PRICE__RATES; i++)
		most.base[i] = MONEY_MOST;
	const struct price wild = { .known = true, .rules = &most };
	const struct usage u = {
		.in = INT64_MAX, .out = INT64_MAX, .images = UINT16_MAX, .class = CLASS_FAST
	};
	assert_int_equal(price_cost(&wild, &u, INT64_MAX), MONEY_MOST);
	struct price dearest = price_dearest(&wild, INT64_MAX, CLASS_UNTOLD);
	assert_int_equal(price_most(&dearest, INT64_MAX, INT64_MAX, 128), MONEY_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_are_read_exactly),
		cmocka_unit_test(numbers_are_read_to_the_nearest_billionth),
		cmocka_unit_test(amounts_are_printed_without_zeros),
		cmocka_unit_test(hours_have_one_form),
		cmocka_unit_test(layers_lie_over_each_other),
		cmocka_unit_test(no_call_costs_more_than_the_dearest),
		cmocka_unit_test(a_call_costs_what_its_tokens_do),
		cmocka_unit_test(no_usage_costs_more_than_the_most),
		cmocka_unit_test(the_dearer_of_each_kind_counts),
		cmocka_unit_test(tokens_for_an_amount_never_cost_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
