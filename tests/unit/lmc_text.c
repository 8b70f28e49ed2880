/* Text as translation sees it: nothing lost, halves of characters joined, limits kept; warnings. */
#include "base/limits.h"
#include "lmc/text.h"
#include "lmc/warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* clang-format off */
#define T(literal) { "" literal, sizeof(literal) - 1 }
/* clang-format on */

#define FIRST  "\xed\xa0\xbd" /* U+D83D */
#define SECOND "\xed\xb8\x80" /* U+DE00 */
#define JOINED "\xf0\x9f\x98\x80"

static void assert_bytes(struct str got, struct str expect, const char *why)
{
	if (!str_eq(got, expect))
		fail_msg("%s: got \"%.*s\", expected \"%.*s\"", why, STR_ARG(got), STR_ARG(expect));
}

/* --- decoding and printing --- */

static void escapes_are_decoded_and_printed_in_one_form(void **state)
{
	static const struct {
		const char *why;
		struct str  escaped, value, printed;
	} rows[] = {
		{ "nothing", T(""), T(""), T("") },
		{ "plain", T("abc"), T("abc"), T("abc") },
		{ "short escapes", T("\\\"\\\\\\/\\b\\f\\n\\r\\t"), T("\"\\/\b\f\n\r\t"),
		  T("\\\"\\\\/\\u0008\\u000c\\n\\r\\t") },
		{ "NUL", T("a\\u0000b"), T("a\0b"), T("a\\u0000b") },
		{ "one byte", T("\\u0041\\u007F"), T("A\x7f"), T("A\x7f") },
		{ "two bytes", T("\\u0080\\u00e4\\u07FF"), T("\xc2\x80\xc3\xa4\xdf\xbf"),
		  T("\xc2\x80\xc3\xa4\xdf\xbf") },
		{ "three bytes", T("\\u0800\\ud7ff\\ue000\\uFFFF"),
		  T("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"),
		  T("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf") },
		{ "four bytes", T("\\uD83D\\uDE00"), T(JOINED), T(JOINED) },
		{ "the least pair", T("\\ud800\\udc00"), T("\xf0\x90\x80\x80"),
		  T("\xf0\x90\x80\x80") },
		{ "the greatest pair", T("\\udbff\\udfff"), T("\xf4\x8f\xbf\xbf"),
		  T("\xf4\x8f\xbf\xbf") },
		{ "a first half alone", T("a\\ud83db"), T("a" FIRST "b"), T("a\\ud83db") },
		{ "a second half alone", T("a\\uDE00b"), T("a" SECOND "b"), T("a\\ude00b") },
		{ "the outermost halves", T("\\ud800x\\udbffx\\udc00x\\udfff"),
		  T("\xed\xa0\x80x\xed\xaf\xbfx\xed\xb0\x80x\xed\xbf\xbf"),
		  T("\\ud800x\\udbffx\\udc00x\\udfff") },
		{ "in the wrong order", T("\\ude00\\ud83d"), T(SECOND FIRST), T("\\ude00\\ud83d") },
		{ "two first halves", T("\\ud83d\\ud83d\\ude00"), T(FIRST JOINED),
		  T("\\ud83d" JOINED) },
		{ "two second halves", T("\\ud83d\\ude00\\ude00"), T(JOINED SECOND),
		  T(JOINED "\\ude00") },
		{ "parted by a character", T("\\ud83d \\ude00"), T(FIRST " " SECOND),
		  T("\\ud83d \\ude00") },
		{ "letters that begin with the same byte", T("\xed\x95\x9c\xed\x9f\xbf"),
		  T("\xed\x95\x9c\xed\x9f\xbf"), T("\xed\x95\x9c\xed\x9f\xbf") },
		{ "control characters", T("\\u0001\\u001f"), T("\x01\x1f"), T("\\u0001\\u001f") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf value, printed, again;

		buf_init(&value, KIB);
		buf_init(&printed, KIB);
		buf_init(&again, KIB);
		assert_true(text_add(&value, rows[i].escaped));
		assert_bytes(buf_view(&value), rows[i].value, rows[i].why);
		assert_true(text_put(&printed, buf_view(&value)));
		assert_bytes(buf_view(&printed), rows[i].printed, rows[i].why);
		assert_true(text_add(&again, buf_view(&printed)));
		assert_bytes(buf_view(&again), rows[i].value, rows[i].why);

		buf_clear(&printed);
		assert_true(text_quote(&printed, buf_view(&value)));
		assert_int_equal(printed.len, rows[i].printed.n + 2);
		assert_bytes((struct str){ printed.data + 1, printed.len - 2 }, rows[i].printed,
			     rows[i].why);
		buf_finish(&value);
		buf_finish(&printed);
		buf_finish(&again);
	}
}

/* The bytes are a copy without one to spare, so that reading on is found. */
static void an_escape_that_is_cut_off_is_refused(void **state)
{
	static const struct str rows[] = {
		T("\\"),    T("ab\\"),   T("\\u"),     T("a\\u12"),  T("\\ud83"),
		T("\\n\\"), T("\\\\\\"), T("\\u12x4"), T("\\u/000"), T("\xff\\"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char      *copy = malloc(rows[i].n);
		struct buf out;

		assert_non_null(copy);
		memcpy(copy, rows[i].p, rows[i].n);
		buf_init(&out, KIB);
		assert_true(buf_text(&out, "before"));
		assert_false(text_add(&out, (struct str){ copy, rows[i].n }));
		assert_bytes(buf_view(&out), STR("before"), "what was there stays");
		buf_finish(&out);
		free(copy);
	}
}

/* Sequences of units: a first half, a second half, a letter. */
static const struct {
	struct str escaped, value;
} units[] = {
	{ T("\\ud83d"), T(FIRST) },
	{ T("\\ude00"), T(SECOND) },
	{ T("x"), T("x") },
};

/* expected: pairs found in the sequence itself, not in bytes. */
static void expected(const size_t *unit, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		bool pair = i + 1 < count && unit[i] == 0 && unit[i + 1] == 1;

		assert_true(pair ? buf_text(out, JOINED) : buf_str(out, units[unit[i]].value));
		i += pair;
	}
}

/* pieces: bit k of cuts parts the units k and k+1; each piece is decoded where the last one ended,
 * or by itself and then joined. */
static void pieces(const size_t *unit, size_t count, unsigned cuts, bool join, struct buf *out)
{
	struct buf escaped, alone;

	buf_init(&escaped, KIB);
	buf_init(&alone, KIB);
	for (size_t i = 0; i < count; i++) {
		assert_true(buf_str(&escaped, units[unit[i]].escaped));
		if (i + 1 < count && !(cuts >> i & 1))
			continue;
		buf_clear(&alone);
		assert_true(text_add(join ? &alone : out, buf_view(&escaped)));
		assert_true(!join || text_join(out, buf_view(&alone)));
		buf_clear(&escaped);
	}
	buf_finish(&escaped);
	buf_finish(&alone);
}

static void halves_join_over_pieces_in_all_ways(void **state)
{
	(void)state;
	for (size_t number = 0; number < 3 * 3 * 3 * 3 * 3; number++) {
		const size_t unit[] = { number % 3, number / 3 % 3, number / 9 % 3, number / 27 % 3,
					number / 81 };

		for (unsigned how = 0; how < 32; how++) {
			struct buf expect, got;

			buf_init(&expect, KIB);
			buf_init(&got, KIB);
			expected(unit, ARRAY_LEN(unit), &expect);
			pieces(unit, ARRAY_LEN(unit), how / 2, how % 2, &got);
			assert_bytes(buf_view(&got), buf_view(&expect), "pieces");
			buf_finish(&expect);
			buf_finish(&got);
		}
	}
}

/* --- limits --- */

typedef bool adder_fn(struct buf *out, struct str s);

static bool add_language(struct buf *out, struct str s)
{
	return text_language(s, out);
}

static bool add_value(struct buf *out, struct str s)
{
	struct json_doc d = { 0 };
	struct err      e;

	assert_int_equal(json_scan(&d, s.p, s.n, &json_limits_request, &e), ERR_OK);
	bool ok = text_of(&d, 0, out);
	json_doc_finish(&d);
	return ok;
}

/* clang-format off */
static const struct limited {
	const char *why;
	adder_fn   *add;
	const char *before; /* what out holds */
	struct str  s;
	const char *after;
} limited[] = {
	{ "plain text", text_add, "a", T("bc"), "abc" },
	{ "text and escapes", text_add, "a", T("b\\u00e4c\\nd"), "ab\xc3\xa4" "c\nd" },
	{ "a joined pair, then more", text_add, "a" FIRST, T("\\ude00bcd"), "a" JOINED "bcd" },
	{ "a joined pair alone", text_add, FIRST, T("\\ude00"), JOINED },
	{ "a pair inside", text_add, "a", T("\\ud83d\\ude00b"), "a" JOINED "b" },
	{ "joined text", text_join, "a", T("bc"), "abc" },
	{ "a pair of decoded halves", text_join, FIRST, T(SECOND), JOINED },
	{ "decoded halves, then more", text_join, "a" FIRST, T(SECOND "bcd"), "a" JOINED "bcd" },
	{ "printed text", text_put, "a", T("b\"\n\x01z"), "ab\\\"\\n\\u0001z" },
	{ "a printed half", text_put, "a", T("b" FIRST "c"), "ab\\ud83dc" },
	{ "quoted text", text_quote, "a", T("b\"" SECOND), "a\"b\\\"\\ude00\"" },
	{ "a language", add_language, "a", T("PyThon3 x"), "apython3" },
	{ "no language", add_language, "a", T("{}"), "apython" },
	{ "a string's own text", add_value, "a" FIRST, T("\"\\ude00\\tb\""), "a" JOINED "\tb" },
	{ "a number", add_value, "a", T("-1.50e3"), "a-1.50e3" },
	{ "an object", add_value, "a", T("{ \"b\" : [ 1 , \"c\\n\" , null ] }"),
	  "a{\"b\":[1,\"c\\n\",null]}" },
};
/* clang-format on */

static void what_does_not_fit_leaves_no_trace(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(limited); i++) {
		const struct limited *r = &limited[i];

		for (size_t max = strlen(r->before); max <= strlen(r->after); max++) {
			struct buf out;

			buf_init(&out, max);
			assert_true(buf_text(&out, r->before));
			bool fits = max == strlen(r->after);
			if (r->add(&out, r->s) != fits)
				fail_msg("%s with room for %zu bytes", r->why, max);
			assert_bytes(buf_view(&out), str_of(fits ? r->after : r->before), r->why);
			buf_finish(&out);
		}
	}
}

/* --- values --- */

static void the_text_of_a_value_is_as_the_rules_say(void **state)
{
	static const struct {
		struct str json, text;
		bool       borrowed; /* seen without a copy */
	} rows[] = {
		{ T("\"abc\""), T("abc"), true },
		{ T("\"\""), T(""), true },
		{ T("\"a\\u0000\\n\""), T("a\0\n"), false },
		{ T("\"\\ud83d\""), T(FIRST), false },
		{ T("null"), T(""), false },
		{ T("true"), T("true"), false },
		{ T("false"), T("false"), false },
		{ T("5"), T("5"), false },
		{ T("-0.10E+2"), T("-0.10E+2"), false },
		{ T("[]"), T("[]"), false },
		{ T("{ }"), T("{}"), false },
		{ T(" {\"a\": 1} "), T("{\"a\":1}"), false },
		{ T("[1, [null, true ], \"a b\\n\\u00e4\"]"),
		  T("[1,[null,true],\"a b\\n\xc3\xa4\"]"), false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json_doc d = { 0 };
		struct err      e;
		struct buf      out, view;
		struct str      seen;

		buf_init(&out, KIB);
		buf_init(&view, KIB);
		assert_int_equal(
			json_scan(&d, rows[i].json.p, rows[i].json.n, &json_limits_request, &e),
			ERR_OK);
		assert_true(buf_text(&out, "<") && text_of(&d, 0, &out));
		assert_bytes((struct str){ out.data + 1, out.len - 1 }, rows[i].text,
			     rows[i].json.p);
		assert_true(buf_text(&view, "what was there"));
		assert_true(text_view(&d, 0, &view, &seen));
		assert_bytes(seen, rows[i].text, rows[i].json.p);
		assert_int_equal(seen.p == rows[i].json.p + 1, rows[i].borrowed);
		json_doc_finish(&d);
		buf_finish(&out);
		buf_finish(&view);
	}
}

static void a_view_that_does_not_fit_is_none(void **state)
{
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      out;
	struct str      text = STR("\"abcdef\\n\"");
	struct str      seen = STR("untouched");

	(void)state;
	buf_init(&out, 6);
	assert_int_equal(json_scan(&d, text.p, text.n, &json_limits_request, &e), ERR_OK);
	assert_false(text_view(&d, 0, &out, &seen));
	assert_true(str_is(seen, "untouched"));
	assert_int_equal(out.len, 0);
	json_doc_finish(&d);
	buf_finish(&out);
}

/* --- looking --- */

static void white_space_is_four_characters(void **state)
{
	/* clang-format off */
	static const struct {
		struct str s, trimmed;
	} rows[] = {
		{ T(""), T("") },
		{ T(" \t\r\n"), T("") },
		{ T("a"), T("a") },
		{ T("\r\n a\tb \n"), T("a\tb") },
		{ T("\f\v"), T("\f\v") },
		{ T("\0 "), T("\0") },
		{ T("\xc2\xa0" "a"), T("\xc2\xa0" "a") },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_bytes(text_trim(rows[i].s), rows[i].trimmed, "trimmed");
	assert_int_equal(text_trim(STR_NONE).n, 0);
	for (int c = 0; c < 256; c++)
		assert_int_equal(text_is_space((char)c), c == ' ' || c == 9 || c == 10 || c == 13);
}

static void a_language_is_cleaned_as_the_rules_say(void **state)
{
	/* clang-format off */
	static const struct {
		const char *why;
		struct str  s;
		const char *language;
	} rows[] = {
		{ "nothing", T(""), "python" },
		{ "blank", T(" \t\r\n"), "python" },
		{ "as it is", T("python"), "python" },
		{ "letter case", T("JavaScript"), "javascript" },
		{ "all that may stay", T("aZ09_+#.-"), "az09_+#.-" },
		{ "white space around", T(" \r\n sh \t"), "sh" },
		{ "the first word", T("sh -x {1}"), "sh" },
		{ "braces around", T("{r}"), "r" },
		{ "many braces", T("{{}{r}{}}"), "r" },
		{ "white space inside the braces", T(" { r , echo } "), "r" },
		{ "one side only", T("r}"), "r" },
		{ "braces inside go, too", T("a{b}c"), "abc" },
		{ "a first word of braces", T("a{ b"), "a" },
		{ "a brace behind white space", T("{ {r} }"), "r" },
		{ "only a strange first word", T("!? sh"), "python" },
		{ "colons and slashes", T("file:/x.py"), "filex.py" },
		{ "other letters", T("\xc3\xa4" "b\xf0\x9f\x98\x80"), "b" },
		{ "only other letters", T("\xc3\x84"), "python" },
		{ "NUL is no white space", T("a\0b c"), "ab" },
		{ "backticks", T("`sh`"), "sh" },
		{ "a form feed is no white space", T("a\fb"), "ab" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		buf_init(&out, KIB);
		assert_true(text_language(rows[i].s, &out));
		assert_bytes(buf_view(&out), str_of(rows[i].language), rows[i].why);
		buf_finish(&out);
	}
}

static void the_longest_run_of_backticks_is_counted(void **state)
{
	/* clang-format off */
	static const struct {
		struct str s;
		size_t     ticks;
	} rows[] = {
		{ T(""), 0 },          { T("abc"), 0 },          { T("`"), 1 },
		{ T("a``b`c"), 2 },    { T("`a``b```"), 3 },     { T("````a`"), 4 },
		{ T("``\n```\0``"), 3 },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(text_ticks(rows[i].s), rows[i].ticks);
	assert_int_equal(text_ticks(STR_NONE), 0);
}

static void no_character_is_cut(void **state)
{
	static const struct {
		const char *why;
		struct str  s;
		size_t      whole;
	} rows[] = {
		{ "nothing", T(""), 0 },
		{ "plain", T("abc"), 3 },
		{ "two bytes", T("a\xc3\xa4"), 3 },
		{ "the first of two", T("a\xc3"), 1 },
		{ "three bytes", T("a\xe2\x82\xac"), 4 },
		{ "two of three", T("a\xe2\x82"), 1 },
		{ "one of three", T("a\xe2"), 1 },
		{ "four bytes", T("a" JOINED), 5 },
		{ "three of four", T("a\xf0\x9f\x98"), 1 },
		{ "two of four", T("a\xf0\x9f"), 1 },
		{ "one of four", T("a\xf0"), 1 },
		{ "a part alone", T("\xf0\x9f\x98"), 0 },
		{ "a first half may go on", T("a" FIRST), 1 },
		{ "a first half alone", T(FIRST), 0 },
		{ "two of a half's bytes", T("a\xed\xa0"), 1 },
		{ "a second half may not", T("a" SECOND), 4 },
		{ "a letter that begins like a half", T("a\xed\x95\x9c"), 4 },
		{ "plain behind a half", T(FIRST "a"), 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (text_whole(rows[i].s) != rows[i].whole)
			fail_msg("%s: %zu", rows[i].why, text_whole(rows[i].s));
	assert_int_equal(text_whole(STR_NONE), 0);
}

/* --- warnings --- */

static void assert_printed(const struct warnings *w, const char *expect)
{
	struct buf out;

	buf_init(&out, MIB);
	assert_true(warnings_print(w, &out));
	assert_bytes(buf_view(&out), str_of(expect), "warnings");
	buf_finish(&out);
}

static void warnings_are_printed_in_their_order(void **state)
{
	struct warnings w;

	(void)state;
	warnings_init(&w);
	assert_printed(&w, "[]");
	warnings_add(&w, 0, "skipped", "a %s of %d", "\"kind\"", 3);
	assert_printed(&w, "[{\"index\":0,\"code\":\"skipped\","
			   "\"message\":\"a \\\"kind\\\" of 3\"}]");
	warnings_add(&w, 12, "lone", "%s", "a\n" FIRST);
	warnings_add(&w, WARNINGS_UNTOLD, "untold", "x");
	warnings_add(NULL, 1, "unheard", "x");
	assert_printed(&w, "[{\"index\":0,\"code\":\"skipped\","
			   "\"message\":\"a \\\"kind\\\" of 3\"},"
			   "{\"index\":12,\"code\":\"lone\",\"message\":\"a\\n\\ud83d\"}]");
	assert_int_equal(w.count, 2);
	warnings_finish(&w);
	assert_int_equal(w.count, 0);
	assert_printed(&w, "[]");
}

/* printed_doc: the warnings as JSON; text is the caller's to finish. */
static struct json_doc printed_doc(const struct warnings *w, struct buf *text)
{
	struct json_doc d = { 0 };
	struct err      e;

	buf_init(text, MIB);
	assert_true(warnings_print(w, text));
	assert_int_equal(json_scan(&d, text->data, text->len, &json_limits_request, &e), ERR_OK);
	return d;
}

static void a_long_message_is_cut_between_characters(void **state)
{
	static const char *const letters[] = { "a", "\xc3\xa4", "\xe2\x82\xac", JOINED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		for (size_t front = 0; front < 4; front++) {
			struct warnings w;
			struct buf      text, long_name;

			buf_init(&long_name, KIB);
			assert_true(buf_add(&long_name, "xxxx", front));
			while (long_name.len < 300)
				assert_true(buf_text(&long_name, letters[i]));
			assert_true(buf_add(&long_name, "", 1));

			warnings_init(&w);
			warnings_add(&w, 0, "long", "%s", long_name.data);
			/* What is no UTF-8 would not be read. */
			struct json_doc d = printed_doc(&w, &text);
			json_at         message = json_get(&d, json_first(&d, 0), "message");
			struct str      got = json_inner(&d, message);
			assert_true(got.n > 251 && got.n <= 255);
			assert_int_equal((got.n - front) % strlen(letters[i]), 0);
			assert_memory_equal(got.p, long_name.data, got.n);
			json_doc_finish(&d);
			buf_finish(&text);
			buf_finish(&long_name);
			warnings_finish(&w);
		}
	}
}

static void too_many_warnings_end_in_one_that_says_so(void **state)
{
	struct warnings w;
	struct buf      text;
	char            name[300];
	size_t          count = 0;

	(void)state;
	/* The worst there is: every byte becomes six. */
	memset(name, 1, sizeof name - 1);
	name[sizeof name - 1] = '\0';
	warnings_init(&w);
	for (size_t i = 0; i < 3 * LIMIT_WARNINGS; i++)
		warnings_add(&w, i, "some", "%s", name);

	struct json_doc d = printed_doc(&w, &text);
	JSON_EACH (i, &d, 0) {
		int64_t index = -1;

		assert_true(json_int(&d, json_get(&d, i, "index"), &index));
		assert_int_equal(index, count);
		assert_true(json_is(&d, json_get(&d, i, "code"),
				    count < LIMIT_WARNINGS ? "some" : "more_warnings"));
		count++;
	}
	assert_int_equal(count, LIMIT_WARNINGS + 1);
	json_doc_finish(&d);
	buf_finish(&text);
	warnings_finish(&w);
}

static void warnings_that_do_not_fit_leave_no_trace(void **state)
{
	struct warnings w;

	(void)state;
	warnings_init(&w);
	warnings_add(&w, 0, "a", "b");
	for (size_t max = 1; max < w.json.len + 3; max++) {
		struct buf out;

		buf_init(&out, max);
		assert_true(buf_text(&out, "x"));
		assert_int_equal(warnings_print(&w, &out), false);
		assert_bytes(buf_view(&out), STR("x"), "what was there");
		buf_finish(&out);
	}
	warnings_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_are_decoded_and_printed_in_one_form),
		cmocka_unit_test(an_escape_that_is_cut_off_is_refused),
		cmocka_unit_test(halves_join_over_pieces_in_all_ways),
		cmocka_unit_test(what_does_not_fit_leaves_no_trace),
		cmocka_unit_test(the_text_of_a_value_is_as_the_rules_say),
		cmocka_unit_test(a_view_that_does_not_fit_is_none),
		cmocka_unit_test(white_space_is_four_characters),
		cmocka_unit_test(a_language_is_cleaned_as_the_rules_say),
		cmocka_unit_test(the_longest_run_of_backticks_is_counted),
		cmocka_unit_test(no_character_is_cut),
		cmocka_unit_test(warnings_are_printed_in_their_order),
		cmocka_unit_test(a_long_message_is_cut_between_characters),
		cmocka_unit_test(too_many_warnings_end_in_one_that_says_so),
		cmocka_unit_test(warnings_that_do_not_fit_leave_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
