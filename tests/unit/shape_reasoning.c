/* Reasoning under one name or another: what is renamed, and what is left as it was. */
#include "base/limits.h"
#include "shape/reasoning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* clang-format off */
#define CHUNK(delta) "{\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{" delta "},\"logprobs\":null}]}"

static const struct {
	const char         *why;
	enum reasoning_name name;
	const char         *json;
	const char         *want; /* NULL: as it is */
} renamed[] = {
	{ "passed through", REASONING_PASSTHROUGH, CHUNK("\"reasoning\":\"a\""), NULL },
	{ "there is none", REASONING_BOTH, CHUNK("\"content\":\"\\\"reasoning\\\"\""), NULL },
	{ "it has the name already", REASONING_CONTENT, CHUNK("\"reasoning_content\":\"a\""), NULL },
	{ "the other name", REASONING_CONTENT, CHUNK("\"role\":\"assistant\",\"reasoning\":\"a\\n\",\"x\":1"),
	  CHUNK("\"role\":\"assistant\",\"reasoning_content\":\"a\\n\",\"x\":1") },
	{ "and back", REASONING_SHORT, CHUNK("\"reasoning_content\":\"a\",\"content\":null"),
	  CHUNK("\"reasoning\":\"a\",\"content\":null") },
	{ "both for one", REASONING_BOTH, CHUNK("\"reasoning\":\"a\""),
	  CHUNK("\"reasoning_content\":\"a\",\"reasoning\":\"a\"") },
	{ "one for both", REASONING_SHORT, CHUNK("\"reasoning_content\":\"a\",\"content\":\"\",\"reasoning\":\"a\""),
	  CHUNK("\"reasoning\":\"a\",\"content\":\"\"") },
	{ "a null beside a text", REASONING_CONTENT, CHUNK("\"reasoning_content\":null,\"reasoning\":\"a\""),
	  CHUNK("\"reasoning_content\":\"a\"") },
	{ "null alone", REASONING_CONTENT, CHUNK("\"content\":\"a\",\"reasoning\":null"),
	  CHUNK("\"content\":\"a\"") },
	{ "none, details neither", REASONING_NONE,
	  CHUNK("\"reasoning\":\"a\",\"reasoning_details\":[{}],\"content\":\"b\""),
	  CHUNK("\"content\":\"b\"") },
	{ "details stay beside a name", REASONING_CONTENT,
	  CHUNK("\"reasoning\":\"a\",\"reasoning_details\":[{}]"),
	  CHUNK("\"reasoning_content\":\"a\",\"reasoning_details\":[{}]") },
	{ "an object of that name is something else", REASONING_CONTENT,
	  CHUNK("\"reasoning\":{\"effort\":1}"), NULL },
	{ "several choices, whole", REASONING_SHORT,
	  "{\"choices\":[{\"message\":{\"reasoning_content\":\"a\"}},7,{\"message\":7},"
	  "{\"message\":{\"content\":\"x\",\"reasoning_content\":\"b\"},\"index\":3}],\"usage\":{}}",
	  "{\"choices\":[{\"message\":{\"reasoning\":\"a\"}},7,{\"message\":7},"
	  "{\"message\":{\"content\":\"x\",\"reasoning\":\"b\"},\"index\":3}],\"usage\":{}}" },
	{ "choices that are none", REASONING_SHORT, "{\"choices\":\"\",\"a\":\"reasoning_content\"}", NULL },
	{ "no JSON", REASONING_SHORT, "{\"reasoning_content\":", NULL },
};
/* clang-format on */

static void names_are_changed_and_nothing_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++) {
		struct json_doc d = { 0 };
		struct buf      out, scratch;
		const char     *want = renamed[i].want ? renamed[i].want : renamed[i].json;

		buf_init(&out, MIB);
		buf_init(&scratch, MIB);
		assert_true(buf_text(&out, "data: ") && buf_text(&out, renamed[i].json));
		assert_true(reasoning_rename(renamed[i].name, &d, &scratch, &out, 6));
		struct str got = { out.data + 6, out.len - 6 };
		if (!str_is(got, want))
			fail_msg("%s:\n got  %.*s\n want %s", renamed[i].why, STR_ARG(got), want);
		json_doc_finish(&d);
		buf_finish(&out);
		buf_finish(&scratch);
	}
}

static void a_full_buffer_is_told_and_left_as_it_was(void **state)
{
	static const char json[] = CHUNK("\"reasoning\":\"a\"");
	struct json_doc   d = { 0 };
	struct buf        out, scratch;

	(void)state;
	buf_init(&out, sizeof json);
	buf_init(&scratch, MIB);
	assert_true(buf_text(&out, json));
	assert_false(reasoning_rename(REASONING_BOTH, &d, &scratch, &out, 0));
	assert_true(str_is(buf_view(&out), json));
	json_doc_finish(&d);
	buf_finish(&out);
	buf_finish(&scratch);
}

/* clang-format off */
static const struct {
	const char *message;
	const char *want; /* NULL: as it is */
} told[] = {
	{ "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"b\"}",
	  "{\"role\":\"assistant\",\"content\":\"a\"}" },
	{ "{\"role\":\"assistant\",\"reasoning\":\"b\",\"content\":\"a\",\"reasoning_details\":[{}]}",
	  "{\"role\":\"assistant\",\"content\":\"a\"}" },
	{ "{\"role\":\"assistant\",\"content\":null,\"reasoning\":\"b\",\"tool_calls\":[{}]}", NULL },
	{ "{\"role\":\"user\",\"content\":\"a\",\"reasoning\":\"b\"}", NULL },
	{ "{\"role\":\"assistant\",\"content\":\"reasoning\"}", NULL },
};
/* clang-format on */

static void a_provider_is_told_of_reasoning_that_led_to_calls_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		struct arena a;
		struct str   got;
		const char  *want = told[i].want ? told[i].want : told[i].message;

		arena_init(&a, MIB);
		assert_true(reasoning_unsaid(str_of(told[i].message), &a, &got));
		if (!str_is(got, want))
			fail_msg("got %.*s", STR_ARG(got));
		arena_finish(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_changed_and_nothing_else),
		cmocka_unit_test(a_full_buffer_is_told_and_left_as_it_was),
		cmocka_unit_test(a_provider_is_told_of_reasoning_that_led_to_calls_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
