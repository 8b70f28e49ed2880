/* JSON trees: built, read, parsed and printed. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_built_tree_is_printed_compactly(void **state)
{
	(void)state;
	struct value *root = value_object();
	struct value *list = value_array();
	struct buf    b;

	buf_init(&b, KIB);
	assert_true(value_push_take(list, value_int(INT64_MIN)));
	assert_true(value_push_take(list, value_bool(false)));
	assert_true(value_push_take(list, value_null()));
	assert_true(value_push_take(list, value_object()));
	assert_true(value_add_take(root, "s", value_string(STR("a/b\"\n\0\xc3\xa9"))));
	assert_true(value_add_take(root, "k\"ey", value_string(STR_NONE)));
	assert_true(value_add_take(root, "list", list));
	assert_true(value_add_take(root, "none", value_null()));
	assert_true(value_print(root, &b));
	assert_true(str_is(buf_view(&b),
			   "{\"s\":\"a/b\\\"\\n\\u0000\xc3\xa9\",\"k\\\"ey\":\"\","
			   "\"list\":[-9223372036854775808,false,null,{}],\"none\":null}"));
	value_destroy(root);
	buf_finish(&b);
}

static void adders_consume_the_child_also_when_they_fail(void **state)
{
	(void)state;
	struct value *object = value_object();
	struct value *array = value_array();

	/* What is not consumed here is a leak that the address sanitizer reports. */
	assert_false(value_add_take(array, "a", value_int(1)));
	assert_false(value_add_take(NULL, "a", value_string(STR("x"))));
	assert_false(value_add_take(object, "a", NULL));
	assert_false(value_push_take(object, value_array()));
	assert_false(value_push_take(NULL, value_null()));
	assert_false(value_push_take(array, NULL));
	assert_int_equal(value_count(array), 0);
	assert_true(value_add_take(object, "a", value_int(1)));
	assert_true(value_add_take(object, "a", value_int(2)));
	value_destroy(object);
	value_destroy(array);
	value_destroy(NULL);
	value_destroy(value_null());
}

static void look_ups_tell_null_from_absent(void **state)
{
	(void)state;
	struct value *v = value_parse(STR("{\"a\":null,\"b\":[null,\"t\"],\"c\":7}"));
	struct str    text = STR("untouched");

	assert_non_null(v);
	assert_true(value_is_object(v));
	assert_false(value_is_array(v));
	assert_true(value_is_null(value_get(v, "a")));
	assert_null(value_get(v, "absent"));
	assert_null(value_get(value_get(v, "b"), "a"));
	assert_null(value_get(NULL, "a"));
	assert_null(value_get(value_get(v, "a"), "a"));
	assert_true(value_is_null(value_at(value_get(v, "b"), 0)));
	assert_null(value_at(value_get(v, "b"), 2));
	assert_null(value_at(v, 0));
	assert_int_equal(value_count(value_get(v, "b")), 2);
	assert_int_equal(value_count(v), 0);
	assert_int_equal(value_count(NULL), 0);
	assert_false(value_text(value_get(v, "c"), &text));
	assert_false(value_text(value_get(v, "a"), &text));
	assert_false(value_text(NULL, &text));
	assert_true(str_is(text, "untouched"));
	assert_true(value_text(value_at(value_get(v, "b"), 1), &text));
	assert_true(str_is(text, "t"));
	assert_false(value_is_null(NULL));
	value_destroy(v);
}

static const struct {
	const char *why;
	const char *text;
	const char *want; /* NULL: refused */
} cases[] = {
	{ "spaces go", " { \"a\" : [ 1 , true ] } ", "{\"a\":[1,true]}" },
	{ "a scalar", "\"x\"", "\"x\"" },
	{ "null", "null", "null" },
	{ "escapes", "\"\\u0041\\/\\ud83d\\ude00\"", "\"A/\xf0\x9f\x98\x80\"" },
	{ "an escaped key", "{\"\\u0061\":1}", "{\"a\":1}" },
	{ "the last of two keys", "{\"a\":1,\"a\":2}", "{\"a\":2}" },
	{ "a fraction as it was written", "[1.10,1E2]", "[1.10,1E2]" },
	{ "more than 64 bits", "[123456789012345678901234567890]",
	  "[123456789012345678901234567890]" },
	{ "more than a double", "[1e999]", "[1e999]" },
	{ "a BOM", "\xef\xbb\xbf[]", "[]" },
	{ "NaN", "[NaN]", NULL },
	{ "bytes behind", "{}x", NULL },
	{ "single quotes", "{'a':1}", NULL },
	{ "a raw tab", "[\"\t\"]", NULL },
	{ "overlong UTF-8", "[\"\xc0\xaf\"]", NULL },
	{ "nothing", "", NULL },
};

static void parsing_is_strict_and_printing_faithful(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct value *v = value_parse(str_of(cases[i].text));
		struct buf    b;

		buf_init(&b, KIB);
		if (!v != !cases[i].want)
			fail_msg("%s: %s", cases[i].why, v ? "accepted" : "refused");
		if (v && (!value_print(v, &b) || !str_is(buf_view(&b), cases[i].want)))
			fail_msg("%s: '%.*s'", cases[i].why, STR_ARG(buf_view(&b)));
		value_destroy(v);
		buf_finish(&b);
	}
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char text[2 * LIMIT_JSON_DEPTH + 2];

	memset(text, '[', LIMIT_JSON_DEPTH);
	memset(text + LIMIT_JSON_DEPTH, ']', LIMIT_JSON_DEPTH);
	struct value *v = value_parse((struct str){ text, 2 * LIMIT_JSON_DEPTH });
	assert_non_null(v);
	value_destroy(v);
	memset(text, '[', LIMIT_JSON_DEPTH + 1);
	memset(text + LIMIT_JSON_DEPTH + 1, ']', LIMIT_JSON_DEPTH + 1);
	assert_null(value_parse((struct str){ text, sizeof text }));
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
	(void)state;
	struct value *v = value_parse(STR("{\"a\":[1,2,3,1.5,\"text\",{\"b\":null}]}"));
	size_t        whole;
	struct buf    b;

	assert_non_null(v);
	buf_init(&b, KIB);
	assert_true(value_print(v, &b));
	whole = b.len;
	buf_finish(&b);
	for (size_t max = 1; max < whole + 1; max++) {
		buf_init(&b, max);
		assert_true(buf_text(&b, "x"));
		assert_false(value_print(v, &b));
		assert_true(str_is(buf_view(&b), "x"));
		buf_finish(&b);
	}
	assert_false(value_print(NULL, &b));
	value_destroy(v);
}

static void an_object_is_made_in_one_expression(void **state)
{
	(void)state;
	struct value *v = VALUE_OBJECT({ "a", value_int(1) }, { NULL, NULL },
				       { NULL, value_text_of("left out") },
				       { "b", value_raw(STR("[1.50,\"\\u00e9\"]")) },
				       { "c", value_fmt("%d%%", 50) }, { "d", value_null() });
	struct buf    b;

	assert_non_null(v);
	buf_init(&b, KIB);
	assert_true(value_print(v, &b));
	assert_true(str_is(buf_view(&b),
			   "{\"a\":1,\"b\":[1.50,\"\\u00e9\"],\"c\":\"50%\",\"d\":null}"));
	buf_finish(&b);
	value_destroy(v);
}

/* A leak of what stands behind the failure is found by the sanitizer. */
static void an_object_with_a_failed_member_is_none(void **state)
{
	(void)state;
	assert_null(VALUE_OBJECT({ "a", value_int(1) }, { "b", NULL }, { "c", value_int(2) }));
	assert_null(value_fmt("%300s", "too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_built_tree_is_printed_compactly),
		cmocka_unit_test(adders_consume_the_child_also_when_they_fail),
		cmocka_unit_test(look_ups_tell_null_from_absent),
		cmocka_unit_test(parsing_is_strict_and_printing_faithful),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(an_object_is_made_in_one_expression),
		cmocka_unit_test(an_object_with_a_failed_member_is_none),
		cmocka_unit_test(a_full_buffer_keeps_what_it_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
