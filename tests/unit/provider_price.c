/* Prices of targets: configured, shipped, or none; the bound over all that may be asked. */
#include "provider/provider.h"
#include "provider/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_stand_for_their_versions(void **state)
{
	/* clang-format off */
	static const struct {
		const char *name;
		int64_t     input; /* thousandths of a unit; -1: not known */
	} cases[] = {
		{ "gpt-4o", 2500 }, { "gpt-4o-2024-08-06", 2500 }, { "gpt-4o-mini", 150 },
		{ "gpt-4o-mini-2024-07-18", 150 }, { "gpt-4o-audio-preview", -1 }, { "gpt-4", 30000 },
		{ "claude-sonnet-4-5", 3000 }, { "claude-sonnet-4-5-20250929", 3000 },
		{ "claude-sonnet-4-20250514", 3000 }, { "claude-opus-4-1-20250805", 15000 },
		{ "claude-opus-4-5", 5000 }, { "claude-3-5-haiku-latest", 800 }, { "gpt-4o-latest", 2500 },
		{ "gpt-4o-", -1 }, { "gpt-4o-1", -1 }, { "gpt", -1 }, { "", -1 }, { "GPT-4o", -1 },
		{ "text-embedding-3-small", 20 },
	};
	/* clang-format on */
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct price p = price_table_find(str_of(cases[i].name));

		if (p.known != (cases[i].input >= 0) ||
		    (p.known && p.input != cases[i].input * (MONEY_ONE / 1000)))
			fail_msg("%s", cases[i].name);
	}
}

static void every_row_is_sound(void **state)
{
	static const char *const names[] = {
#define X(name, ...) name,
#include "provider/price_table.def"
#undef X
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct price p = price_table_find(str_of(names[i]));

		assert_true(p.known && p.source == PRICE_TABLE);
		price_fill(&p);
		assert_true(p.input > 0 && p.cached <= p.input && p.cache_write >= p.input &&
			    p.cache_write_1h >= 2 * p.input && p.reasoning == p.output &&
			    p.audio_in >= p.input && p.audio_out >= p.output);
		struct price most = price_dearest(&p, PRICE_TOKENS, CLASS_UNTOLD);
		assert_true(most.input >= p.input && most.output >= p.output);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	}
}

static void every_row_has_its_limits(void **state)
{
	static const struct table_limits limits[] = {
#define X(name, input, cached, cache_write, output, context, most, thinks, ...) \
	{ context, most, thinks },
#include "provider/price_table.def"
#undef X
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		assert_true(limits[i].context >= 4096 && limits[i].output <= limits[i].context &&
			    (limits[i].output > 0 || !limits[i].thinks));
	assert_int_equal(price_table_limits(STR("gpt-4o-2024-08-06")).output, 16384);
	assert_int_equal(price_table_limits(STR("gpt-4o")).context, 128000);
	assert_false(price_table_limits(STR("gpt-4o")).thinks);
	assert_true(price_table_limits(STR("o3")).thinks);
	assert_int_equal(price_table_limits(STR("text-embedding-3-small")).output, 0);
	assert_int_equal(price_table_limits(STR("nobody-knows-me")).context, 0);
}

static struct registry *make(const struct model_options *models, size_t count)
{
	struct provider_options echo = { .name = "p", .dialect = "echo" };
	struct provider        *p;
	struct registry        *r = NULL;
	struct err              e;

	assert_int_equal(provider_create(&echo, &p, &e), ERR_OK);
	if (registry_create_take(&p, 1, models, count, NULL, &r, &e) != ERR_OK)
		fail_msg("%s", e.text);
	return r;
}

static const struct price own = {
	.known = true, .source = PRICE_OWN, .input = 5, .output = 10, .cached = 5
};

static void what_is_configured_beats_the_table(void **state)
{
	const struct model_options models[] = {
		{ .name = "a", .provider = "p", .upstream_model = "gpt-4o", .price = own },
		{ .name = "b", .provider = "p", .upstream_model = "gpt-4o" },
		{ .name = "c", .provider = "p", .upstream_model = "gpt-4o", .no_table = true },
		{ .name = "x/*", .provider = "p" },
	};
	static const struct {
		const char *name;
		int64_t     input;
	} cases[] = { { "a", 5 },
		      { "b", 2500000000 },
		      { "c", -1 },
		      { "x/gpt-4.1", 2000000000 },
		      { "x/none", -1 } };
	struct registry *r = make(models, ARRAY_LEN(models));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct target t;
		struct err    e;

		assert_int_equal(registry_find(r, str_of(cases[i].name), &t, &e), ERR_OK);
		struct price p = registry_price(&t);
		assert_int_equal(p.known, cases[i].input >= 0);
		if (p.known)
			assert_int_equal(p.input, cases[i].input);
	}
	registry_destroy(r);
}

static struct registry_bound bound(const struct registry *r, const char *name)
{
	struct target t;
	struct err    e;

	assert_int_equal(registry_find(r, str_of(name), &t, &e), ERR_OK);
	return registry_bound(t.model, t.asked, 1000, CLASS_STANDARD);
}

static void the_bound_is_over_targets_and_fallbacks(void **state)
{
	static const struct target_options targets[] = { { "p", "gpt-4o-mini", 1 },
							 { "p", "gpt-4.1", 1 } };
	static const char *const to_b[] = { "b" }, *const to_c[] = { "b", "c" };
	/* clang-format off */
	const struct model_options         models[] = {
		{ .name = "many", .targets = targets, .target_count = 2, .max_output = 50 },
		{ .name = "a", .provider = "p", .price = own, .max_output = 70, .fallback = to_b,
			  .fallback_count = 1 },
		{ .name = "b", .provider = "p", .upstream_model = "o3", .max_output = 60 },
		{ .name = "c", .provider = "p" },
		{ .name = "d", .provider = "p", .price = own, .max_output = 70, .fallback = to_c,
			  .fallback_count = 2 },
	};
	/* clang-format on */
	struct registry *r = make(models, ARRAY_LEN(models));

	(void)state;
	struct registry_bound b = bound(r, "many");
	assert_true(b.price.known && b.price.input == 2 * MONEY_ONE &&
		    b.price.output == 8 * MONEY_ONE);
	assert_int_equal(b.max_output, 50);
	b = bound(r, "a");
	assert_true(b.price.known && b.price.output == 8 * MONEY_ONE);
	assert_int_equal(b.max_output, 60);
	b = bound(r, "d");
	assert_false(b.price.known);
	assert_int_equal(b.max_output, 0);
	assert_true(str_is(b.unpriced, "c") && str_is(b.unlimited, "c"));
	registry_destroy(r);
}

static void the_bound_knows_what_is_asked_for_and_by_how_long_a_prompt(void **state)
{
	static const struct price_layer longer[] = {
		{ .above = 1000, .rates = { 50, 90, -1, -1, -1, -1, -1, -1, -1, -1 } }
	};
	static const struct price_rules rules = {
		.factor = { [CLASS_FLEX] = MONEY_ONE / 2, [CLASS_PRIORITY] = 2 * MONEY_ONE },
		.base = { 5, 10, -1, -1, -1, -1, -1, -1, -1, -1 },
		.count = 1,
		.layers = longer,
	};
	const struct model_options models[] = {
		{ .name = "a", .provider = "p", .price = { .known = true, .rules = &rules } },
	};
	/* echo is not sent what class was asked for */
	static const struct {
		int64_t          prompt;
		enum usage_class asked;
		int64_t          input;
	} cases[] = {
		{ 1000, CLASS_STANDARD, 5 }, { 1001, CLASS_STANDARD, 50 },
		{ 1000, CLASS_UNTOLD, 10 },  { 1001, CLASS_UNTOLD, 100 },
		{ 1000, CLASS_FLEX, 10 },    { 1000, CLASS_PRIORITY, 10 },
	};
	struct registry *r = make(models, ARRAY_LEN(models));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct target t;
		struct err    e;

		assert_int_equal(registry_find(r, STR("a"), &t, &e), ERR_OK);
		struct price p =
			registry_bound(t.model, t.asked, cases[i].prompt, cases[i].asked).price;
		assert_true(p.known && !p.rules);
		if (p.input != cases[i].input)
			fail_msg("%zu: %lld", i, (long long)p.input);
	}
	registry_destroy(r);
}

static struct registry_output output(const struct registry *r, const char *name)
{
	struct target t;
	struct err    e;

	assert_int_equal(registry_find(r, str_of(name), &t, &e), ERR_OK);
	return registry_output(t.model, t.asked);
}

static void an_answer_s_most_tokens_are_those_of_all_that_may_be_asked(void **state)
{
	static const struct target_options targets[] = { { "p", "gpt-4o-mini", 1 },
							 { "p", "gpt-4.1", 1 } };
	static const char *const to_think[] = { "think" }, *const to_none[] = { "none" };
	/* clang-format off */
	const struct model_options models[] = {
		{ .name = "many", .targets = targets, .target_count = 2 },
		{ .name = "own", .provider = "p", .upstream_model = "gpt-4o", .max_output = 50,
			  .fallback = to_think, .fallback_count = 1 },
		{ .name = "think", .provider = "p", .upstream_model = "o3" },
		{ .name = "none", .provider = "p" },
		{ .name = "less", .provider = "p", .upstream_model = "gpt-4o", .fallback = to_none,
			  .fallback_count = 1 },
		{ .name = "off", .provider = "p", .upstream_model = "gpt-4o", .no_table = true },
		{ .name = "x/*", .provider = "p" },
	};
	static const struct {
		const char *name;
		int64_t     least, most;
		bool        thinks;
	} cases[] = {
		{ "many", 16384, 32768, false }, { "own", 50, 100000, true },
		{ "think", 100000, 100000, true }, { "none", 0, 0, false },
		{ "less", 0, 0, false }, { "off", 0, 0, false },
		{ "x/gpt-4.1-mini", 32768, 32768, false }, { "x/own", 0, 0, false },
	};
	/* clang-format on */
	struct registry *r = make(models, ARRAY_LEN(models));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct registry_output o = output(r, cases[i].name);

		if (o.least != cases[i].least || o.most != cases[i].most ||
		    o.thinks != cases[i].thinks)
			fail_msg("%s: %lld %lld", cases[i].name, (long long)o.least,
				 (long long)o.most);
	}
	registry_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stand_for_their_versions),
		cmocka_unit_test(every_row_is_sound),
		cmocka_unit_test(every_row_has_its_limits),
		cmocka_unit_test(an_answer_s_most_tokens_are_those_of_all_that_may_be_asked),
		cmocka_unit_test(what_is_configured_beats_the_table),
		cmocka_unit_test(the_bound_is_over_targets_and_fallbacks),
		cmocka_unit_test(the_bound_knows_what_is_asked_for_and_by_how_long_a_prompt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
