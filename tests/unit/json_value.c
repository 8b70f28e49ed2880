/* JSON trees: built and printed. */
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
	struct value *list = value_array();
	struct buf    b;

	assert_true(value_push_take(list, value_int(INT64_MIN)));
	assert_true(value_push_take(list, value_bool(false)));
	assert_true(value_push_take(list, value_null()));
	assert_true(value_push_take(list, VALUE_OBJECT({ NULL, NULL })));
	struct value *root = VALUE_OBJECT({ "s", value_string(STR("a/b\"\n\0\xc3\xa9")) },
					  { "k\"ey", value_string(STR_NONE) }, { "list", list },
					  { "none", value_null() });
	buf_init(&b, KIB);
	assert_true(value_print(root, &b));
	assert_true(str_is(buf_view(&b),
			   "{\"s\":\"a/b\\\"\\n\\u0000\xc3\xa9\",\"k\\\"ey\":\"\","
			   "\"list\":[-9223372036854775808,false,null,{}],\"none\":null}"));
	value_destroy(root);
	buf_finish(&b);
}

static void makers_consume_their_children_also_when_they_fail(void **state)
{
	(void)state;
	struct value *array = value_array();
	struct buf    b;

	/* What is not consumed here is a leak that the address sanitizer reports. */
	assert_false(value_push_take(NULL, value_null()));
	assert_false(value_push_take(NULL, value_text_of("x")));
	assert_false(value_push_take(array, NULL));
	buf_init(&b, KIB);
	assert_true(value_print(array, &b));
	assert_true(str_is(buf_view(&b), "[]"));
	buf_finish(&b);
	value_destroy(array);
	value_destroy(NULL);
	value_destroy(value_null());
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
	(void)state;
	struct value *list = value_array();
	struct value *v;
	size_t        whole;
	struct buf    b;

	assert_true(value_push_take(list, value_int(1)));
	assert_true(value_push_take(list, value_raw(STR("1.5"))));
	assert_true(value_push_take(list, value_text_of("text")));
	assert_true(value_push_take(list, VALUE_OBJECT({ "b", value_null() })));
	v = VALUE_OBJECT({ "a", list });
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
		cmocka_unit_test(makers_consume_their_children_also_when_they_fail),
		cmocka_unit_test(an_object_is_made_in_one_expression),
		cmocka_unit_test(an_object_with_a_failed_member_is_none),
		cmocka_unit_test(a_full_buffer_keeps_what_it_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
