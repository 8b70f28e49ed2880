/* Buffers: their maximum, their adders, and JSON's escapes. */
#include "base/buf.h"
#include "base/plain.h"
#include "refuse_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void adders_append_in_order(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 1000);
	assert_int_equal(buf_view(&b).n, 0);
	assert_true(buf_add(&b, "a\0b", 3));
	assert_true(buf_add(&b, NULL, 0));
	assert_true(buf_str(&b, STR("|str")));
	assert_true(buf_str(&b, STR_NONE));
	assert_true(buf_text(&b, "|text|"));
	assert_true(buf_fmt(&b, "%s=%d|", "x", 7));
	assert_true(buf_int(&b, -42));
	assert_true(str_eq(buf_view(&b), STR("a\0b|str|text|x=7|-42")));
	buf_finish(&b);
}

/* Buffers of the same text grow in the same step of a loop, which each copy makes longer. */
static void a_large_buffer_moves_once(void **state)
{
	(void)state;
	static const char piece[32 * 1024];
	struct buf        b;
	int               moves = 0;

	buf_init(&b, 64u << 20);
	while (b.len < 16u << 20) {
		size_t cap = b.cap;

		assert_true(buf_add(&b, piece, sizeof piece));
		moves += cap >= 1u << 20 && b.cap != cap;
	}
	assert_int_equal(moves, 1);
	buf_finish(&b);
}

static void a_large_reserve_takes_what_it_asks_for(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 64u << 20);
	assert_true(buf_reserve(&b, 2u << 20));
	assert_true(b.cap >= 2u << 20 && b.cap < 4u << 20);
	b.len = b.cap;
	assert_true(buf_reserve(&b, 2u << 20));
	assert_true(b.cap < 8u << 20);
	buf_finish(&b);
}

static void integers_are_written_to_their_ends(void **state)
{
	(void)state;
	static const int64_t values[] = { 0,   1,   -1,        9,         10,
					  -10, 100, INT64_MAX, INT64_MIN, INT64_MIN + 1 };

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct buf b;
		char       want[32];

		buf_init(&b, 100);
		snprintf(want, sizeof want, "%lld", (long long)values[i]);
		assert_true(buf_int(&b, values[i]));
		assert_true(str_is(buf_view(&b), want));
		buf_finish(&b);
	}
}

static void thousandths_have_three_digits_after_the_point(void **state)
{
	(void)state;
	static const struct {
		int64_t     v;
		const char *want;
	} rows[] = {
		{ 0, "0.000" },
		{ 7, "0.007" },
		{ 42, "0.042" },
		{ 999, "0.999" },
		{ 1000, "1.000" },
		{ 1234567, "1234.567" },
		{ -5, "-0.005" },
		{ INT64_MAX, "9223372036854775.807" },
		{ INT64_MIN, "-9223372036854775.808" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf b;

		buf_init(&b, 100);
		assert_true(buf_thousandths(&b, rows[i].v));
		assert_true(str_is(buf_view(&b), rows[i].want));
		buf_finish(&b);
	}
}

/* Every byte at every place, before and after runs of every length that the steps differ in. */
static void a_run_ends_at_the_first_byte_that_is_not_plain(void **state)
{
	(void)state;
	unsigned char text[180];

	memset(text, 'a', sizeof text);
	for (size_t n = 0; n < sizeof text; n++)
		for (int c = 0; c < 0x100; c++) {
			text[n] = (unsigned char)c;
			for (enum plain kind = PLAIN_ASCII; kind <= PLAIN_SHOWN; kind++) {
				size_t want = plain_byte(text[n], kind) ? sizeof text : n;

				assert_int_equal(plain_run(text, sizeof text, kind), want);
				assert_int_equal(plain_run_words(text, sizeof text, kind), want);
				assert_int_equal(plain_run(text, n, kind), n);
			}
			text[n] = 'a';
		}
}

static void a_buffer_never_grows_past_its_maximum(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 5);
	assert_true(buf_text(&b, "1234"));
	assert_false(buf_text(&b, "56"));
	assert_false(buf_str(&b, STR("56")));
	assert_false(buf_int(&b, 56));
	assert_false(buf_fmt(&b, "%d", 56));
	assert_false(buf_json_string(&b, STR("")));
	assert_false(buf_json_escape(&b, STR("\n")));
	assert_false(buf_reserve(&b, 2));
	assert_false(buf_reserve(&b, SIZE_MAX));
	assert_true(str_is(buf_view(&b), "1234"));
	assert_true(buf_text(&b, "5"));
	assert_false(buf_text(&b, "6"));
	assert_true(buf_text(&b, ""));
	assert_true(str_is(buf_view(&b), "12345"));
	assert_true(b.cap <= b.max);
	buf_finish(&b);
}

static void want_of_memory_is_not_its_limit(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 8);
	assert_false(buf_text(&b, "123456789"));
	assert_false(buf_starved());
	buf_init(&b, SIZE_MAX / 2);
	assert_false(buf_reserve(&b, SIZE_MAX / 4));
	buf_finish(&b);
	assert_true(buf_starved());
	assert_true(buf_text(&b, "1"));
	buf_finish(&b);
}

static void a_buffer_of_any_maximum_is_filled_to_it(void **state)
{
	(void)state;

	for (size_t max = 0; max < 300; max++) {
		struct buf b;
		size_t     n = 0;

		buf_init(&b, max);
		while (buf_add(&b, "x", 1))
			n++;
		assert_int_equal(n, max);
		assert_int_equal(b.len, max);
		buf_finish(&b);
	}
}

static void reserved_room_stays_where_it_is(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 10000);
	assert_true(buf_reserve(&b, 5000));
	const char *at = b.data;
	for (int i = 0; i < 5000; i++)
		assert_true(buf_add(&b, "x", 1));
	assert_ptr_equal(b.data, at);
	buf_finish(&b);
}

static void cleared_and_finished_buffers_can_be_used_on(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 100);
	assert_true(buf_text(&b, "old"));
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_true(b.cap > 0);
	assert_true(buf_text(&b, "new"));
	assert_true(str_is(buf_view(&b), "new"));
	buf_finish(&b);
	assert_null(b.data);
	assert_true(buf_text(&b, "again"));
	assert_true(str_is(buf_view(&b), "again"));
	buf_finish(&b);
	buf_finish(&b);
}

static void the_front_is_taken_off(void **state)
{
	(void)state;
	struct buf b;

	buf_init(&b, 100);
	buf_take_front(&b, 0);
	assert_true(buf_text(&b, "0123456789"));
	buf_take_front(&b, 0);
	buf_take_front(&b, 4);
	assert_true(str_is(buf_view(&b), "456789"));
	buf_take_front(&b, 6);
	assert_int_equal(b.len, 0);
	buf_finish(&b);
}

static const struct {
	const char *why;
	struct str  in;
	const char *want;
} escapes[] = {
	{ "nothing", { "", 0 }, "\"\"" },
	{ "plain", { "plain", 5 }, "\"plain\"" },
	{ "quote and backslash", { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
	{ "a slash needs none", { "a/b", 3 }, "\"a/b\"" },
	{ "short forms", { "\n\r\t", 3 }, "\"\\n\\r\\t\"" },
	{ "other controls", { "\x01\x1f\0", 3 }, "\"\\u0001\\u001f\\u0000\"" },
	{ "DEL needs none", { "\x7f", 1 }, "\"\x7f\"" },
	{ "UTF-8 stays", { "\xe2\x82\xac\xc3\xa9", 5 }, "\"\xe2\x82\xac\xc3\xa9\"" },
	{ "at both ends", { "\"x\"", 3 }, "\"\\\"x\\\"\"" },
};

static void strings_are_escaped_as_json_needs(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
		struct buf b;
		struct buf inner;

		buf_init(&b, 100);
		buf_init(&inner, 100);
		assert_true(buf_json_string(&b, escapes[i].in));
		if (!str_is(buf_view(&b), escapes[i].want))
			fail_msg("%s: %.*s", escapes[i].why, STR_ARG(buf_view(&b)));
		assert_true(buf_json_escape(&inner, escapes[i].in));
		assert_true(str_eq(buf_view(&inner), (struct str){ b.data + 1, b.len - 2 }));
		buf_finish(&b);
		buf_finish(&inner);
	}
}

/* Bytes are looked at in groups: none may hide behind its neighbours. */
static void every_byte_is_escaped_wherever_it_stands(void **state)
{
	static const char fills[] = { 'a', '!', '#', '[', ']', ' ', '\x7f', '\x80', '\xff', '\n' };
	enum { TEXT = 19 };

	(void)state;
	for (size_t k = 0; k < sizeof fills * TEXT * 256; k++) {
		char         text[TEXT];
		struct buf   whole;
		struct buf   single;
		const size_t at = k / 256 % TEXT;

		memset(text, fills[k / 256 / TEXT], TEXT);
		text[at] = (char)(k % 256);
		buf_init(&whole, 1000);
		buf_init(&single, 1000);
		assert_true(buf_json_escape(&whole, (struct str){ text, TEXT }));
		for (size_t i = 0; i < TEXT; i++)
			assert_true(buf_json_escape(&single, (struct str){ text + i, 1 }));
		assert_true(str_eq(buf_view(&whole), buf_view(&single)));
		buf_finish(&whole);
		buf_finish(&single);
	}
}

static void an_escaped_string_goes_in_whole_or_not_at_all(void **state)
{
	(void)state;

	for (size_t max = 1; max < 20; max++) {
		struct buf b;

		buf_init(&b, max);
		assert_true(buf_text(&b, "x"));
		/* 1 byte before it, then: quote a \n b \u0001 c quote */
		assert_int_equal(buf_json_string(&b, STR("a\nb\x01"
							 "c")),
				 max >= 14);
		assert_int_equal(b.len, max >= 14 ? 14 : 1);
		buf_finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adders_append_in_order),
		cmocka_unit_test(a_large_buffer_moves_once),
		cmocka_unit_test(a_large_reserve_takes_what_it_asks_for),
		cmocka_unit_test(integers_are_written_to_their_ends),
		cmocka_unit_test(thousandths_have_three_digits_after_the_point),
		cmocka_unit_test(a_run_ends_at_the_first_byte_that_is_not_plain),
		cmocka_unit_test(a_buffer_never_grows_past_its_maximum),
		cmocka_unit_test(a_buffer_of_any_maximum_is_filled_to_it),
		cmocka_unit_test(want_of_memory_is_not_its_limit),
		cmocka_unit_test(reserved_room_stays_where_it_is),
		cmocka_unit_test(cleared_and_finished_buffers_can_be_used_on),
		cmocka_unit_test(the_front_is_taken_off),
		cmocka_unit_test(strings_are_escaped_as_json_needs),
		cmocka_unit_test(every_byte_is_escaped_wherever_it_stands),
		cmocka_unit_test(an_escaped_string_goes_in_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
