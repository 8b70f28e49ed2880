/* Members that stand alone: their keys and values. */
#include "base/base.h"
#include "json/member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_member_has_a_key_and_a_value(void **state)
{
	static const struct {
		const char *text, *key, *value;
	} cases[] = {
		{ "\"n\":1", "n", "1" },
		{ "\"n\" :\t[1, 2]", "n", "[1, 2]" },
		{ "\"top_p\":\"a:b\"", "top_p", "\"a:b\"" },
		{ "\"n\":null", "n", "" },
		{ "\"\":{}", "", "{}" },
		{ "\"\\u006e\":2", "\\u006e", "2" },
		{ "\"a\\\":b\": 3", "a\\\":b", "3" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str m = str_of(cases[i].text);

		assert_true(str_is(json_member_key(m), cases[i].key));
		assert_true(str_is(json_member_value(m), cases[i].value));
	}
}

static void keys_are_compared_by_their_values(void **state)
{
	static const char *const same[] = { "\"top_k\":1", "\"\\u0074op_k\":1", "\"top\\u005fk\":1",
					    "\"top_\\u006B\" : 1" };
	static const char *const others[] = { "\"top_p\":1",
					      "\"top\":1",
					      "\"top_kk\":1",
					      "\"top_k\\u006b\":1",
					      "\"\\u0074op_\":1",
					      "\"\":1",
					      "\"top_k\\\"\":1",
					      "\"top_",
					      "\"\\",
					      "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		assert_true(json_member_is(str_of(same[i]), STR("top_k")));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(json_member_is(str_of(others[i]), STR("top_k")));
}

static void two_members_are_not_one(void **state)
{
	static const char *const one[] = { "\"n\":1", "\"n\" : [1, {\"a\":2}]", "\"a:b\":\"c:d\"",
					   "\"n\":null", "\"\\u006e\":{}" };
	static const char *const others[] = { "\"tools\":[1],\"tool_choice\":\"auto\"",
					      "\"n\":1,",
					      ",\"n\":1",
					      "\"n\"",
					      "\"n\":",
					      "n:1",
					      "{\"n\":1}",
					      "\"n\" \"m\":1",
					      "1:2",
					      "\"n\":1 2",
					      "\"",
					      "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(one); i++)
		assert_true(json_member_is_one(str_of(one[i])));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(json_member_is_one(str_of(others[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_has_a_key_and_a_value),
		cmocka_unit_test(keys_are_compared_by_their_values),
		cmocka_unit_test(two_members_are_not_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
