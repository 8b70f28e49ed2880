/* Files of a message's context in front of its content, as the template says. */
#include "base/limits.h"
#include "json/scan.h"
#include "lmc/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FILES(list) "\"context\":{\"files\":[" list "]}"
#define FILE_A      "{\"name\":\"a.txt\",\"content\":\"A\"}"
#define FILE_B      "{\"content\":\"B\",\"name\":\"b \\u00e9\"}"
#define SEEN_A      "<file name=\\\"a.txt\\\">\\nA\\n</file>\\n\\n"
#define SEEN_B      "<file name=\\\"b \\u00e9\\\">\\nB\\n</file>\\n\\n"

struct row {
	const char *why, *message, *want;
};

static void check_row(const struct row *row)
{
	struct arena    arena;
	struct str      got = STR_NONE;
	struct err      e;
	struct json_doc doc = { 0 };

	print_message("case: %s\n", row->why);
	arena_init(&arena, MIB);
	assert_int_equal(context_render(str_of(row->message), &arena, &got, &e), ERR_OK);
	assert_int_equal(json_scan(&doc, got.p, got.n, &json_limits_request, &e), ERR_OK);
	if (!str_is(got, row->want))
		fail_msg("%.*s", STR_ARG(got));
	json_doc_finish(&doc);
	arena_finish(&arena);
}

static void files_stand_in_front_of_the_content(void **state)
{
	(void)state;
	static const struct row cases[] = {
		{ "a string", "{\"role\":\"user\",\"content\":\"hi\"," FILES(FILE_A) "}",
		  "{\"role\":\"user\",\"content\":\"" SEEN_A "hi\"}" },
		{ "the context in front", "{" FILES(FILE_A)
		  ",\"content\":\"hi\",\"role\":\"user\"}",
		  "{\"role\":\"user\",\"content\":\"" SEEN_A "hi\"}" },
		{ "two files in their order", "{\"content\":\"hi\"," FILES(FILE_A "," FILE_B) "}",
		  "{\"content\":\"" SEEN_A SEEN_B "hi\"}" },
		{ "an empty string", "{\"content\":\"\"," FILES(FILE_A) "}", "{\"content\":\""
		  SEEN_A "\"}" },
		{ "escapes stay as they were written",
		  "{\"content\":\"\\u0041\\\"\\n\",\"context\":{\"files\":[{\"name\":\"x\","
		  "\"content\":\"\\ud83d\\ude00 \\\\ \\\"q\\\"\\t\"}]}}",
		  "{\"content\":\"<file name=\\\"x\\\">\\n\\ud83d\\ude00 "
		  "\\\\ \\\"q\\\"\\t\\n</file>\\n\\n"
		  "\\u0041\\\"\\n\"}" },
		{ "an empty file", "{\"content\":\"hi\"," FILES("{\"name\":\"e\",\"content\":\"\"}")
		  "}",
		  "{\"content\":\"<file name=\\\"e\\\">\\n\\n</file>\\n\\nhi\"}" },
		{ "parts get a text part in front",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}, {\"type\":\"x\"}],"
		  FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A
		  "\"},{\"type\":\"text\",\"text\":\"hi\"}, {\"type\":\"x\"}]}" },
		{ "no parts at all", "{\"content\":[]," FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A "\"}]}" },
		{ "an empty list with a blank in it", "{\"content\":[ ]," FILES(FILE_A) "}",
		  "{\"content\":[{\"type\":\"text\",\"text\":\"" SEEN_A "\"} ]}" },
		{ "no content beside calls", "{\"role\":\"assistant\",\"tool_calls\":[{}],"
		  FILES(FILE_A) "}",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"content\":\"" SEEN_A "\"}" },
		{ "null content", "{\"content\":null," FILES(FILE_A) "}", "{\"content\":\"" SEEN_A
		  "\"}" },
		{ "other members as they came", "{ \"name\" : \"bob\", \"content\" : \"hi\" , "
		  FILES(FILE_A) " }",
		  "{\"name\":\"bob\",\"content\":\"" SEEN_A "hi\"}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void a_context_without_files_only_goes_away(void **state)
{
	(void)state;
	static const struct row cases[] = {
		{ "empty", "{\"content\":\"hi\",\"context\":{}}", "{\"content\":\"hi\"}" },
		{ "no files", "{\"content\":\"hi\"," FILES("") "}", "{\"content\":\"hi\"}" },
		{ "files are null", "{\"content\":\"hi\",\"context\":{\"files\":null}}",
		  "{\"content\":\"hi\"}" },
		{ "parts stay", "{\"context\":{},\"content\":[{\"type\":\"x\"}]}",
		  "{\"content\":[{\"type\":\"x\"}]}" },
		{ "no content beside calls",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"context\":{}}",
		  "{\"role\":\"assistant\",\"tool_calls\":[{}],\"content\":null}" },
		{ "an uploaded file has no text here", "{\"content\":\"hi\","
		  FILES("{\"uuid\":\"u\"}") "}",
		  "{\"content\":\"hi\"}" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_row(&cases[i]);
}

static void a_message_without_context_is_not_copied(void **state)
{
	(void)state;
	static const char *const messages[] = {
		"{ \"role\":\"user\", \"content\":\"hi\" }",
		"{\"content\":\"the word \\\"context\\\"\"}",
		"{\"content\":[{\"type\":\"x\",\"context\":{\"files\":[]}}]}",
		"{\"content\":\"context\"}",
		"{\"name\":\"context\",\"content\":\"\"}",
	};

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct arena arena;
		struct str   got = STR_NONE;
		struct err   e;

		arena_init(&arena, MIB);
		assert_int_equal(context_render(str_of(messages[i]), &arena, &got, &e), ERR_OK);
		assert_ptr_equal(got.p, messages[i]);
		assert_int_equal(got.n, strlen(messages[i]));
		assert_int_equal(arena.used, 0);
		arena_finish(&arena);
	}
}

static void a_context_that_is_null_goes_away_too(void **state)
{
	(void)state;
	check_row(&(struct row){ "null", "{\"content\":\"hi\",\"context\":null}",
		"{\"content\":\"hi\"}" });
}

static void a_context_whose_key_is_written_with_an_escape_is_one(void **state)
{
	(void)state;
	check_row(&(struct row){ "an escape in the key",
				 "{\"content\":\"hi\",\"cont\\u0065xt\":{\"files\":[" FILE_A "]}}",
				 "{\"content\":\"" SEEN_A "hi\"}" });
}

static void a_full_arena_is_an_error(void **state)
{
	(void)state;
	struct arena arena;
	struct str   got = STR("untouched");
	struct err   e;

	arena_init(&arena, 8);
	assert_int_equal(context_render(STR("{\"content\":\"hi\"," FILES(FILE_A) "}"), &arena, &got,
		&e),
			 ERR_OVERLOADED);
	assert_true(str_is(got, "untouched"));
	arena_finish(&arena);
}

static void damaged_messages_are_an_error_and_leak_nothing(void **state)
{
	(void)state;
	static const char *const messages[] = { "{\"context\":", "{\"content\":\"x\",\"context\":{}"
		};

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct arena arena;
		struct str   got = STR("untouched");
		struct err   e;

		arena_init(&arena, KIB);
		assert_int_not_equal(context_render(str_of(messages[i]), &arena, &got, &e), ERR_OK);
		assert_true(str_is(got, "untouched"));
		arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_stand_in_front_of_the_content),
		cmocka_unit_test(a_context_without_files_only_goes_away),
		cmocka_unit_test(a_message_without_context_is_not_copied),
		cmocka_unit_test(a_context_that_is_null_goes_away_too),
		cmocka_unit_test(a_context_whose_key_is_written_with_an_escape_is_one),
		cmocka_unit_test(a_full_arena_is_an_error),
		cmocka_unit_test(damaged_messages_are_an_error_and_leak_nothing),
	};

	return cmocka_run_group_tests_name("lmc/context", tests, NULL, NULL);
}
