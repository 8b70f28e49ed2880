/* Rules shared by request bodies: metadata, names, paths. */
#include "base/buf.h"
#include "base/limits.h"
#include "routes/kit/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static enum errc check(struct str text, struct err *e)
{
	struct json_doc doc = { 0 };

	*e = (struct err){ 0 };
	assert_int_equal(json_scan(&doc, text.p, text.n, &json_limits_request, e), ERR_OK);
	enum errc rc = check_metadata(&doc, 0, e);
	assert_int_equal(rc, e->code);
	json_doc_finish(&doc);
	return rc;
}

static void metadata_is_an_object_of_strings(void **state)
{
	(void)state;
	static const struct {
		const char *why, *text;
		enum errc   want;
		const char *path;
	} cases[] = {
		{ "empty", "{}", ERR_OK, "" },
		{ "one pair", "{\"a\":\"b\"}", ERR_OK, "" },
		{ "an empty key and value", "{\"\":\"\"}", ERR_OK, "" },
		{ "no object", "[\"a\"]", ERR_INVALID_TYPE, "metadata" },
		{ "a string", "\"a\"", ERR_INVALID_TYPE, "metadata" },
		{ "a number as value", "{\"a\":\"b\",\"n\":1}", ERR_INVALID_TYPE, "metadata.n" },
		{ "null as value", "{\"a\":null}", ERR_INVALID_TYPE, "metadata.a" },
		{ "an object as value", "{\"a\":{\"b\":\"c\"}}", ERR_INVALID_TYPE, "metadata.a" },
		{ "sixteen pairs",
		  "{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\",\"f\":\"\",\"g\":\"\","
		  "\"h\":\"\","
		  "\"i\":\"\",\"j\":\"\",\"k\":\"\",\"l\":\"\",\"m\":\"\",\"n\":\"\",\"o\":\"\","
		  "\"p\":\"\"}",
		  ERR_OK, "" },
		{ "seventeen",
		  "{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\",\"f\":\"\",\"g\":\"\","
		  "\"h\":\"\","
		  "\"i\":\"\",\"j\":\"\",\"k\":\"\",\"l\":\"\",\"m\":\"\",\"n\":\"\",\"o\":\"\","
		  "\"p\":\"\","
		  "\"q\":\"\"}",
		  ERR_INVALID_VALUE, "metadata" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e;

		if (check(str_of(cases[i].text), &e) != cases[i].want ||
		    strcmp(e.path, cases[i].path) != 0)
			fail_msg("case: %s: %d %s", cases[i].why, e.code, e.path);
	}
}

/* What counts is characters, however they are written. */
static void keys_and_values_are_limited_in_characters(void **state)
{
	(void)state;
	static const struct {
		const char *why, *character;
	} cases[] = {
		{ "ASCII", "a" },
		{ "two bytes", "\xc3\xa9" },
		{ "four bytes", "\xf0\x9f\x98\x80" },
		{ "escaped", "\\u00e9" },
		{ "an escaped pair", "\\ud83d\\ude00" },
		{ "a short escape", "\\n" },
	};
	static const struct {
		size_t    key, value;
		enum errc want;
	} sizes[] = {
		{ LIMIT_METADATA_KEY, LIMIT_METADATA_VALUE, ERR_OK },
		{ LIMIT_METADATA_KEY + 1, 1, ERR_INVALID_VALUE },
		{ 1, LIMIT_METADATA_VALUE + 1, ERR_INVALID_VALUE },
		{ 1, 100 * LIMIT_METADATA_VALUE, ERR_INVALID_VALUE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			struct buf text;
			struct err e;

			/* The scan refuses longer keys by itself. */
			if (strlen(cases[i].character) * sizes[s].key > LIMIT_JSON_KEY)
				continue;
			buf_init(&text, MIB);
			assert_true(buf_text(&text, "{\""));
			for (size_t n = 0; n < sizes[s].key; n++)
				assert_true(buf_text(&text, cases[i].character));
			assert_true(buf_text(&text, "\":\""));
			for (size_t n = 0; n < sizes[s].value; n++)
				assert_true(buf_text(&text, cases[i].character));
			assert_true(buf_text(&text, "\"}"));
			if (check(buf_view(&text), &e) != sizes[s].want)
				fail_msg("case: %s, %zu", cases[i].why, s);
			if (e.code)
				assert_true(strncmp(e.path, "metadata.", 9) == 0);
			buf_finish(&text);
		}
}

static void names_are_of_letters_digits_and_two_signs(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *name;
		bool        ok;
	} cases[] = {
		{ "a", true },	  { "A-Z_0-9", true }, { "", false },	   { "a b", false },
		{ "a.b", false }, { "a/b", false },    { "\xc3\xa9", false }, { "a\n", false },
		{ "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", true },
		{ "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-a", false },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (check_name(str_of(cases[i].name)) != cases[i].ok)
			fail_msg("%s", cases[i].name);
	assert_false(check_name(STR_NONE));
	assert_false(check_name(STR("a\0b")));
}

static void a_path_that_is_too_long_is_cut(void **state)
{
	(void)state;
	char path[160];
	char key[300];

	check_path(path, "messages[%d].%s", 3, "name");
	assert_string_equal(path, "messages[3].name");
	memset(key, 'k', sizeof key - 1);
	key[sizeof key - 1] = '\0';
	check_path(path, "metadata.%s", key);
	assert_int_equal(strlen(path), 159);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_is_an_object_of_strings),
		cmocka_unit_test(keys_and_values_are_limited_in_characters),
		cmocka_unit_test(names_are_of_letters_digits_and_two_signs),
		cmocka_unit_test(a_path_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests_name("routes/kit/check", tests, NULL, NULL);
}
