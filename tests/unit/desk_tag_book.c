/* The first values of a name count apart, and the others as one; a new day begins anew. */
#include "desk/tag_book.h"

#include "base/limits.h"
#include "msg/usage_tag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

static void counts_as(const char *tags, int64_t now_ms, const char *want)
{
	struct buf out;

	buf_init(&out, LIMIT_TAGS);
	assert_true(tag_book_count(str_of(tags), now_ms, &out));
	assert_int_equal(out.len, strlen(want));
	assert_memory_equal(out.data, want, out.len);
	buf_finish(&out);
}

static void so_many_values_a_day_are_told_apart(void **state)
{
	char tags[64];

	(void)state;
	counts_as("[]", DAY_MS, "[]");
	for (int i = 0; i < LIMIT_TAG_VALUES; i++) {
		snprintf(tags, sizeof tags, "[\"customer=%d\"]", i);
		counts_as(tags, DAY_MS, tags);
	}
	counts_as("[\"customer=more\"]", DAY_MS, "[\"customer=(other)\"]");
	counts_as("[\"customer=7\",\"feature=search\"]", DAY_MS,
		  "[\"customer=7\",\"feature=search\"]");
	counts_as("[\"customer=x\",\"customer=y\",\"feature=a\",\"feature=b\"]", DAY_MS,
		  "[\"customer=(other)\",\"feature=a\",\"feature=b\"]");
	counts_as("[\"customer=more\"]", 2 * DAY_MS, "[\"customer=more\"]");
	counts_as("[\"customer=7\"]", 2 * DAY_MS, "[\"customer=7\"]");
}

static void tags_are_printed_in_their_order_and_found(void **state)
{
	struct usage_tag_names n = { .names = { "tags", "customer" }, .count = 2, .litellm = true };
	struct usage_tags      t = { .values = { STR_NONE, { "a=b", 3 } },
				     .listed = { { "z", 1 }, { "a", 1 }, { "z", 1 } },
				     .listed_count = 3 };
	struct buf             out;

	(void)state;
	buf_init(&out, LIMIT_TAGS);
	assert_true(usage_tags_print(&n, &t, &out));
	assert_true(str_is(buf_view(&out), "[\"customer=a=b\",\"tags=a\",\"tags=z\"]"));
	assert_true(str_is(usage_tags_find(buf_view(&out), STR("customer")), "a=b"));
	assert_true(str_is(usage_tags_find(buf_view(&out), STR("tags")), "a"));
	assert_int_equal(usage_tags_find(buf_view(&out), STR("tag")).n, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(so_many_values_a_day_are_told_apart),
		cmocka_unit_test(tags_are_printed_in_their_order_and_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
