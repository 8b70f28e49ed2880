/* The beginnings of messages, as lists show them. */
#include "store/common/excerpt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_excerpt(const char *body, bool user, const char *want)
{
	struct excerpt x;

	excerpt_read(&x, str_of(body));
	struct str got = excerpt_text(&x);
	char       text[EXCERPT_BYTES + 1];
	str_copy(text, sizeof text, got);
	assert_string_equal(text, want);
	assert_int_equal(x.user, user);
}

static void the_text_is_found_wherever_it_stands(void **state)
{
	(void)state;
	assert_excerpt("{\"role\":\"user\",\"content\":\"hello\"}", true, "hello");
	assert_excerpt(" { \"content\" : \"hello\" , \"role\" : \"user\" } ", true, "hello");
	assert_excerpt("{\"context\":{\"a\":[\"}\",\"\\\"]\"]},\"role\":\"assistant\",\"n\":-1.5,"
		       "\"content\":\"there\"}",
		       false, "there");
	assert_excerpt(
		"{\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"text\"}},"
		"{\"text\":\"two\",\"type\":\"text\"},{\"type\":\"text\",\"text\":\"parts\"}],"
		"\"role\":\"user\"}",
		true, "two parts");
	assert_excerpt("{\"role\":\"user\",\"type\":\"image\",\"content\":\"iVBORw0\"}", true, "");
	assert_excerpt("{\"role\":\"user\",\"content\":\"print(1)\",\"type\":\"code\"}", true,
		       "print(1)");
	assert_excerpt("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}", false, "");
}

static void it_is_one_line_without_escapes(void **state)
{
	(void)state;
	assert_excerpt("{\"role\":\"user\",\"content\":\" a\\n\\n\\tb\\u0000c \\\"d\\\\ \"}", true,
		       "a b c \"d\\");
	assert_excerpt("{\"role\":\"user\",\"content\":\"\\u00e4\\ud83d\\ude00\\ud83d.\"}", true,
		       "\xc3\xa4\xf0\x9f\x98\x80.");
	assert_excerpt("{\"role\":\"user\",\"content\":\"a  b \\n c\\td  \\u00e4 \x7f  \xc3\xa4"
		       "e f \"}",
		       true,
		       "a b c d \xc3\xa4 \xc3\xa4"
		       "e f");
}

static void what_is_no_message_has_none(void **state)
{
	static const char *const bodies[] = { "",
					      "a",
					      "[]",
					      "{",
					      "{\"role\"",
					      "{\"a\":",
					      "{\"content\":\"x",
					      "{\"content\":[",
					      "{\"content\":[{\"text\"",
					      "\"x\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
		assert_excerpt(bodies[i], false, "");
}

/* The character before the limit is as long as a character can be. */
static void it_ends_after_whole_characters(void **state)
{
	char           many[4 * 200 + 1];
	char           body[1200];
	struct excerpt x;

	(void)state;
	for (size_t i = 0; i < sizeof many - 1; i++)
		many[i] = "\xf0\x9f\x98\x80"[i % 4];
	many[sizeof many - 1] = '\0';
	snprintf(body, sizeof body, "{\"role\":\"user\",\"content\":\"%s\"}", many);
	excerpt_read(&x, str_of(body));
	assert_int_equal(excerpt_text(&x).n, 4 * EXCERPT_CHARS);
	assert_int_equal(excerpt_opening(&x).n, 4 * (OPENING_CHARS - 1) + 3);
}

static void assert_opening(const char *body, const char *want)
{
	struct excerpt_row r;
	char               text[EXCERPT_BYTES + 1];

	excerpt_row(&r, &(struct store_message){ .body = str_of(body) }, 1);
	str_copy(text, sizeof text, r.opening);
	assert_string_equal(text, want);
}

static void an_opening_ends_after_a_word(void **state)
{
	(void)state;
	assert_opening("{\"role\":\"user\",\"content\":\"Short.\"}", "Short.");
	assert_opening(
		"{\"role\":\"user\",\"content\":\"How do I find out why the tests of a branch fail, "
		"when they passed before?\"}",
		"How do I find out why the tests of a branch fail, when they\xe2\x80\xa6");
	assert_opening("{\"role\":\"user\",\"content\":\""
		       "0123456789012345678901234567890123456789012345678901234567890123456789\"}",
		       "01234567890123456789012345678901234567890123456789012345678\xe2\x80\xa6");
	assert_opening("{\"role\":\"assistant\",\"content\":\"Hello\"}", "");
}

static void a_row_has_the_first_and_the_last(void **state)
{
	struct store_message m[] = {
		{ .body = STR("{\"role\":\"system\",\"content\":\"be brief\"}") },
		{ .body = STR("{\"role\":\"user\",\"content\":\"one\"}") },
		{ .body = STR("{\"role\":\"assistant\",\"content\":\"two\"}") },
		{ .body = STR("{\"role\":\"user\",\"content\":\"three\"}") },
	};
	struct excerpt_row r;

	(void)state;
	excerpt_row(&r, m, ARRAY_LEN(m));
	assert_true(str_is(r.opening, "one") && str_is(r.excerpt, "three"));
	excerpt_row(&r, m, 2);
	assert_true(str_is(r.opening, "one") && str_is(r.excerpt, "one"));
	for (size_t i = 0; i < ARRAY_LEN(m); i++)
		excerpt_row_add(&r, m[i].body, i == 0);
	assert_true(str_is(r.opening, "one") && str_is(r.excerpt, "three"));
	excerpt_row(&r, NULL, 0);
	assert_true(r.opening.n == 0 && r.excerpt.n == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_found_wherever_it_stands),
		cmocka_unit_test(it_is_one_line_without_escapes),
		cmocka_unit_test(what_is_no_message_has_none),
		cmocka_unit_test(it_ends_after_whole_characters),
		cmocka_unit_test(an_opening_ends_after_a_word),
		cmocka_unit_test(a_row_has_the_first_and_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
