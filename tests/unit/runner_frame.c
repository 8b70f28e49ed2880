/* computer/link, computer/computer_console and runner/mark: what comes from clients and from sandboxes, whole and in pieces. */
#include "computer/link.h"

#include "base/limits.h"
#include "runner/mark.h"
#include "computer/computer_console.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DIGITS     "0123456789abcdef0123456789abcdef"
#define MARK(text) "\x1e" DIGITS text "\x1e"

static void a_frame_comes_back_as_it_went(void **state)
{
	struct buf   b;
	struct frame f;

	(void)state;
	buf_init(&b, KIB);
	assert_true(frame_put(&b, FRAME_OUTPUT, STR("hello")));
	assert_true(frame_put(&b, FRAME_GO, STR("")));
	for (size_t n = 0; n < FRAME_HEAD + 5; n++)
		assert_int_equal(frame_look((struct str){ b.data, n }, &f), FRAME_NONE);
	assert_int_equal(frame_look(buf_view(&b), &f), FRAME_WHOLE);
	assert_int_equal(f.kind, FRAME_OUTPUT);
	assert_true(str_is(f.body, "hello"));
	buf_take_front(&b, FRAME_HEAD + 5);
	assert_int_equal(frame_look(buf_view(&b), &f), FRAME_WHOLE);
	assert_int_equal(f.kind, FRAME_GO);
	assert_int_equal(f.body.n, 0);
	buf_finish(&b);
}

static void a_frame_has_a_maximum(void **state)
{
	struct frame f;

	(void)state;
	assert_int_equal(frame_look(STR("\x00\x00\x10\x00"), &f), FRAME_NONE);
	assert_int_equal(frame_look(STR("\x01\x00\x10\x00"), &f), FRAME_TOO_LARGE);
	assert_int_equal(frame_look(STR("\xff\xff\xff\xff"), &f), FRAME_TOO_LARGE);
}

/* Text as it is, marks in <>. */
static void frame_text(void *arg, struct str text)
{
	assert_true(buf_str(arg, text));
}

static void frame_mark(void *arg, struct str mark)
{
	assert_true(buf_text(arg, "<") && buf_str(arg, mark) && buf_text(arg, ">"));
}

static void frame_cut(struct str bytes, size_t step, struct buf *out)
{
	struct mark_sink sink = { frame_text, frame_mark, out };
	struct marks     m;

	mark_init(&m);
	mark_expect(&m, DIGITS, &sink);
	for (size_t at = 0; at < bytes.n; at += step) {
		size_t n = bytes.n - at < step ? bytes.n - at : step;

		assert_true(mark_feed(&m, (struct str){ bytes.p + at, n }, &sink));
	}
	mark_expect(&m, "", &sink);
	mark_finish(&m);
}

static void marks_are_cut_out_of_the_output(void **state)
{
	static const struct {
		const char *bytes;
		const char *want;
	} cases[] = {
		{ "plain", "plain" },
		{ MARK("L1") "a\n" MARK("L2") "b" MARK("E0"), "<L1>a\n<L2>b<E0>" },
		{ "a" MARK("E0 /space/x y") "b", "a<E0 /space/x y>b" },
		{ "\x1e", "\x1e" },
		{ "\x1e\x1e" DIGITS "L1\x1e", "\x1e<L1>" },
		{ "\x1e"
		  "0123" MARK("L1"),
		  "\x1e"
		  "0123<L1>" },
		{ "\x1e" DIGITS "L1", "\x1e" DIGITS "L1" }, /* never ended */
		{ "\x1e"
		  "ffffffffffffffffffffffffffffffff"
		  "L1\x1e",
		  "\x1e"
		  "ffffffffffffffffffffffffffffffff"
		  "L1\x1e" },
		{ MARK(""), "<>" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t step = 1; step < 50; step += step < 4 ? 1 : 9) {
			struct buf out;

			buf_init(&out, KIB);
			frame_cut(str_of(cases[i].bytes), step, &out);
			assert_true(str_is(buf_view(&out), cases[i].want));
			buf_finish(&out);
		}
}

static void an_endless_mark_is_text(void **state)
{
	struct buf in, out;

	(void)state;
	buf_init(&in, 16 * KIB);
	buf_init(&out, 16 * KIB);
	assert_true(buf_text(&in, "\x1e" DIGITS));
	while (in.len < 3 * LIMIT_RUNNER_MARK)
		assert_true(buf_text(&in, "xxxxxxxx"));
	frame_cut(buf_view(&in), 1000, &out);
	assert_true(str_eq(buf_view(&in), buf_view(&out)));
	buf_finish(&in);
	buf_finish(&out);
}

static void marks_have_a_letter_and_a_number(void **state)
{
	static const struct {
		const char *mark;
		bool        ok;
		char        letter;
		int64_t     number;
		const char *rest;
	} cases[] = {
		{ "L12", true, 'L', 12, "" },    { "E0 /space/a b", true, 'E', 0, "/space/a b" },
		{ "E130 ", true, 'E', 130, "" }, { "L", false, 0, 0, "" },
		{ "", false, 0, 0, "" },         { "L1x", false, 0, 0, "" },
		{ "L-1", false, 0, 0, "" },      { "L99999999999999999999", false, 0, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char       letter = 0;
		int64_t    number = 0;
		struct str rest = STR_NONE;

		assert_int_equal(mark_parse(str_of(cases[i].mark), &letter, &number, &rest),
				 cases[i].ok);
		assert_int_equal(letter, cases[i].letter);
		assert_int_equal(number, cases[i].number);
		assert_true(str_is(rest, cases[i].rest));
	}
}

static void output_becomes_whole_characters_without_colours(void **state)
{
	static const struct {
		const char *bytes;
		size_t      n; /* 0: up to the NUL */
		const char *want;
	} cases[] = {
		{ "plain\r\n\tx", 0, "plain\r\n\tx" },
		{ "\x1b[31mred\x1b[0m", 0, "red" },
		{ "\x1b[1;38;5;200mx\x1b[K", 0, "x" },
		{ "\x1b]0;title\x07x", 0, "x" },
		{ "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", 0, "link" },
		{ "\x1b(Bx\x1b"
		  "7y",
		  0, "xy" },
		{ "\x1b\x1b[mx", 0, "x" },
		{ "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 0,
		  "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xff", 0, "\xef\xbf\xbd" },
		{ "\xc3x", 0, "\xef\xbf\xbdx" },
		{ "\xc0\x80", 0, "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82", 0, "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\xf0\x9f\x98\x80", 0, "\xef\xbf\xbd\xf0\x9f\x98\x80" },
		{ "\xed\xa0\x80", 0, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "a\0b", 3,
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xe2\x1b[m\x82", 0, "\xef\xbf\xbd\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t step = 1; step < 20; step++) {
			size_t       n = cases[i].n ? cases[i].n : strlen(cases[i].bytes);
			struct clean c = { .held_n = 0 };
			struct buf   out;

			buf_init(&out, KIB);
			for (size_t at = 0; at < n; at += step)
				assert_true(
					clean_feed(&c,
						   (struct str){ cases[i].bytes + at,
								 n - at < step ? n - at : step },
						   &out));
			assert_true(clean_end(&c, &out));
			assert_true(str_is(buf_view(&out), cases[i].want));
			buf_finish(&out);
		}
}

static void an_endless_escape_is_text_again(void **state)
{
	struct clean c = { .held_n = 0 };
	struct buf   out;

	(void)state;
	buf_init(&out, 16 * KIB);
	assert_true(clean_feed(&c, STR("\x1b]"), &out));
	for (int i = 0; i < 1000; i++)
		assert_true(clean_feed(&c, STR("x"), &out));
	assert_int_in_range(out.len, 1000 - LIMIT_RUNNER_ESCAPE, 1000 - LIMIT_RUNNER_ESCAPE + 8);
	buf_finish(&out);
}

static void a_picture_is_a_line_and_bytes(void **state)
{
	static const struct {
		const char        *bytes;
		enum picture_found found;
	} cases[] = {
		{ "", PICTURE_NONE },
		{ "1 png 3\nab", PICTURE_NONE },
		{ "1 png 3\nabcd", PICTURE_WHOLE },
		{ "1 jpeg 0\n", PICTURE_WHOLE },
		{ "1 html 1\n<", PICTURE_WHOLE },
		{ "1 gif 3\nabc", PICTURE_BAD },
		{ "x png 3\nabc", PICTURE_BAD },
		{ "1 png -3\nabc", PICTURE_BAD },
		{ "1 png 8388609\n", PICTURE_BAD },
		{ "1 png 99999999999999999999\n", PICTURE_BAD },
		{ "1 png 3 \nabc", PICTURE_BAD },
		{ "1111111111111111111111111111111111111111111111111111", PICTURE_BAD },
	};
	struct picture p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(picture_look(str_of(cases[i].bytes), &p), cases[i].found);
	assert_int_equal(picture_look(STR("12 png 3\nabcd"), &p), PICTURE_WHOLE);
	assert_int_equal(p.number, 12);
	assert_int_equal(p.format, PICTURE_PNG);
	assert_true(str_is(p.bytes, "abc"));
	assert_int_equal(p.used, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_comes_back_as_it_went),
		cmocka_unit_test(a_frame_has_a_maximum),
		cmocka_unit_test(marks_are_cut_out_of_the_output),
		cmocka_unit_test(an_endless_mark_is_text),
		cmocka_unit_test(marks_have_a_letter_and_a_number),
		cmocka_unit_test(output_becomes_whole_characters_without_colours),
		cmocka_unit_test(an_endless_escape_is_text_again),
		cmocka_unit_test(a_picture_is_a_line_and_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
