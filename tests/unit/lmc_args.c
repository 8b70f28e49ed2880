/* The arguments of `execute`: each rule by example, any cut, and against a plain second reading. */
#include "base/limits.h"
#include "lmc/args.h"
#include "lmc/text.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define REPLACEMENT "\xEF\xBF\xBD"
#define SMILE       "\xF0\x9F\x98\x80"

/* --- what came out --- */

struct seen {
	enum segment_kind kind;
	struct buf        format;
	struct buf        content;
	unsigned          flaws;
	unsigned          opened, texts, closed;
	unsigned          calls_left; /* the sink says no when none is left */
};

static void seen_init(struct seen *s)
{
	*s = (struct seen){ .calls_left = UINT32_MAX };
	buf_init(&s->format, 64 * MIB);
	buf_init(&s->content, 64 * MIB);
}

static void seen_finish(struct seen *s)
{
	buf_finish(&s->format);
	buf_finish(&s->content);
}

static bool allowed(struct seen *s)
{
	assert_true(s->calls_left > 0); /* nothing is called behind a no */
	s->calls_left--;
	return s->calls_left > 0;
}

static bool on_open(void *arg, enum segment_kind kind, struct str format)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 0);
	s->opened++;
	s->kind = kind;
	assert_non_null(format.p);
	assert_true(buf_str(&s->format, format));
	return allowed(s);
}

static bool on_text(void *arg, struct str text)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 1);
	assert_int_equal(s->closed, 0);
	assert_true(text.n > 0);
	s->texts++;
	assert_true(text_join(&s->content, text));
	return allowed(s);
}

static bool on_close(void *arg)
{
	struct seen *s = arg;

	assert_int_equal(s->opened, 1);
	assert_int_equal(s->closed, 0);
	s->closed++;
	return allowed(s);
}

static const struct segment_sink sink = { on_open, on_text, on_close };

/* --- feeding --- */

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

/* feed_copy: from memory without a byte to spare, so that reading behind it is seen. */
static bool feed_copy(struct args *a, struct str piece)
{
	char *copy = malloc(piece.n ? piece.n : 1);

	assert_non_null(copy);
	if (piece.n > 0)
		memcpy(copy, piece.p, piece.n);
	bool ok = args_feed(a, (struct str){ copy, piece.n });
	free(copy);
	return ok;
}

enum { CUT_AT_RANDOM = 0 };

/* run: text in pieces of step bytes (CUT_AT_RANDOM: 0 to 6, also none), the first of them of
 * `first` bytes. */
static bool run(struct str text, size_t first, size_t step, size_t max, struct seen *s)
{
	struct args *a = args_create(&sink, s, max);
	bool         ok = true;

	assert_non_null(a);
	for (size_t at = 0, n = first; at < text.n && ok; at += n, n = step) {
		if (n == CUT_AT_RANDOM)
			n = random_below(7);
		n = n < text.n - at ? n : text.n - at;
		ok = feed_copy(a, (struct str){ text.p + at, n });
	}
	ok = ok && args_end(a, &s->flaws);
	args_destroy(a);
	return ok;
}

static void complain(const char *why, struct str text, size_t first, size_t step,
		     const struct seen *got)
{
	print_error("case: %s; cut at %zu, then every %zu; %zu bytes: %.*s\n", why, first, step,
		    text.n, STR_ARG(text));
	print_error("got kind %d, format %.*s, flaws %u, content %.*s\n", (int)got->kind,
		    STR_ARG(buf_view(&got->format)), got->flaws, STR_ARG(buf_view(&got->content)));
}

static void check_cut(const char *why, struct str text, size_t first, size_t step,
		      const struct seen *want)
{
	struct seen got;

	seen_init(&got);
	bool ok = run(text, first, step, 64 * MIB, &got);
	bool same = ok && got.opened == 1 && got.closed == 1 && got.kind == want->kind &&
		    got.flaws == want->flaws &&
		    str_eq(buf_view(&got.format), buf_view(&want->format)) &&
		    str_eq(buf_view(&got.content), buf_view(&want->content));
	if (!same)
		complain(why, text, first, step, &got);
	seen_finish(&got);
	assert_true(same);
}

/* check: whole, byte by byte, at every place in two, and at random. */
static void check(const char *why, struct str text, const struct seen *want)
{
	size_t whole = text.n + 1;

	check_cut(why, text, whole, whole, want);
	check_cut(why, text, 1, 1, want);
	for (size_t at = 1; at < text.n; at++)
		check_cut(why, text, at, whole, want);
	for (int i = 0; i < 20; i++)
		check_cut(why, text, CUT_AT_RANDOM, CUT_AT_RANDOM, want);
}

/* --- cases --- */

/* clang-format off */
#define EARLY    ARGS_ENDED_EARLY
#define NOTHING  (ARGS_ENDED_EARLY | ARGS_NO_CODE)
#define S(text)  { "" text, sizeof(text) - 1 }
/* clang-format on */

struct args_case {
	const char *why;
	struct str  text;
	const char *language; /* NULL: a tool call of execute, as it stands */
	struct str  content;
	unsigned    flaws;
};

static void check_cases(const struct args_case *cases, size_t count)
{
	random_state = 7;
	for (size_t i = 0; i < count; i++) {
		const struct args_case *c = &cases[i];
		struct seen             want;

		seen_init(&want);
		want.kind = c->language ? SEGMENT_CODE : SEGMENT_TOOL_CALL;
		want.flaws = c->flaws;
		assert_true(buf_text(&want.format, c->language ? c->language : "execute"));
		assert_true(buf_str(&want.content, c->language ? c->content : c->text));
		check(c->why, c->text, &want);
		seen_finish(&want);
	}
}

static void the_members_of_the_object_are_code_and_language(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "language first", S("{\"language\":\"python\",\"code\":\"a=1\"}"), "python",
		  S("a=1"), 0 },
		{ "code first", S("{\"code\":\"a=1\",\"language\":\"Shell\"}"), "shell", S("a=1"),
		  0 },
		{ "no language", S("{\"code\":\"a=1\"}"), "python", S("a=1"), 0 },
		{ "empty code is code", S("{\"language\":\"r\",\"code\":\"\"}"), "r", S(""), 0 },
		{ "empty code first", S("{\"code\":\"\",\"language\":\"r\"}"), "r", S(""), 0 },
		{ "white space wherever it may stand",
		  S(" \t\r\n{ \t\r\n\"language\" \n: \"r\"\t,\r\"code\"\n:\n\"1\" } \t\r\n"), "r",
		  S("1"), 0 },
		{ "other members are stepped over, between and around",
		  S("{\"a\":1,\"language\":\"r\",\"b\":[1,{\"code\":\"no\"}],\"code\":\"1\","
		    "\"c\":null}"), "r", S("1"), 0 },
		{ "nested objects do not count",
		  S("{\"x\":{\"code\":\"no\",\"language\":\"no\"},\"code\":\"yes\"}"), "python",
		  S("yes"), 0 },
		{ "nor what is in the value of code itself",
		  S("{\"code\":{\"code\":\"no\"},\"language\":[\"no\"],\"code\":\"yes\"}"),
		  "python", S("yes"), 0 },
		{ "the first code with a string counts, if another comes",
		  S("{\"code\":\"a\",\"code\":\"b\",\"language\":\"r\"}"), "r", S("a"), 0 },
		{ "the same when it streams",
		  S("{\"language\":\"r\",\"code\":\"a\",\"code\":\"b\"}"), "r", S("a"), 0 },
		{ "an empty first code is the first", S("{\"code\":\"\",\"code\":\"b\"}"), "python",
		  S(""), 0 },
		{ "a code that is no string does not count",
		  S("{\"code\":5,\"code\":null,\"code\":[\"x\"],\"code\":\"a\"}"), "python", S("a"),
		  0 },
		{ "the first language with a string counts",
		  S("{\"language\":1,\"language\":\"r\",\"language\":\"sh\",\"code\":\"a\"}"), "r",
		  S("a"), 0 },
		{ "also behind the code",
		  S("{\"code\":\"a\",\"language\":{},\"language\":\"r\",\"language\":\"sh\"}"), "r",
		  S("a"), 0 },
		{ "an empty language is python",
		  S("{\"language\":\"\",\"language\":\"r\",\"code\":\"a\"}"), "python", S("a"), 0 },
		{ "keys are compared decoded",
		  S("{\"c\\u006fde\":\"a\",\"\\u006C\\u0061nguage\":\"r\"}"), "r", S("a"), 0 },
		{ "keys that only begin so",
		  S("{\"codes\":\"a\",\"cod\":\"b\",\"languages\":\"r\"}"),
		  "python", S(""), ARGS_NO_CODE },
		{ "a NUL is part of a key", S("{\"code\\u0000\":\"a\",\"code\0\":\"b\"}"), "python",
		  S(""), ARGS_NO_CODE },
		{ "letter case matters in keys", S("{\"Code\":\"a\",\"LANGUAGE\":\"r\"}"), "python",
		  S(""), ARGS_NO_CODE },
		{ "an escape that is none is part of the key", S("{\"\\code\":\"a\"}"), "python",
		  S(""), ARGS_NO_CODE },
		{ "an empty key and a long one",
		  S("{\"\":\"a\",\"language language language\":\"b\",\"code\":\"c\"}"), "python",
		  S("c"), 0 },
		{ "no code", S("{\"language\":\"r\"}"), "r", S(""), ARGS_NO_CODE },
		{ "an empty object", S("{}"), "python", S(""), ARGS_NO_CODE },
		{ "every kind of value",
		  S("{\"a\":[],\"b\":{},\"c\":[[],{}],\"d\":true,\"e\":false,\"f\":null,\"g\":-0,"
		    "\"h\":0.5,\"i\":10E+2,\"j\":-1.25e-7,\"k\":[1,0,\"\\\"]}\"],\"code\":\"a\"}"),
		  "python", S("a"), 0 },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

static void the_language_is_made_regular(void **state)
{
	(void)state;
	static const struct args_case cases[] = {
		{ "letters are made small", S("{\"language\":\"PyThOn3\",\"code\":\"\"}"),
		  "python3", S(""), 0 },
		{ "white space and braces around go, then the first word counts",
		  S("{\"language\":\" {{ bash\\t-x}} \",\"code\":\"a\"}"), "bash", S("a"), 0 },
		{ "signs that names have", S("{\"language\":\"c++#_.-9\",\"code\":\"a\"}"),
		  "c++#_.-9", S("a"), 0 },
		{ "other characters go",
		  S("{\"language\":\"j\xC3\xA9(s)" SMILE "\",\"code\":\"a\"}"), "js", S("a"), 0 },
		{ "if nothing is left", S("{\"language\":\" {} \",\"code\":\"a\"}"), "python",
		  S("a"), 0 },
		{ "escapes are decoded before", S("{\"language\":\"\\u0052\\n x\",\"code\":\"a\"}"),
		  "r", S("a"), 0 },
		{ "an escape that is none", S("{\"language\":\"\\sh\",\"code\":\"a\"}"), "sh",
		  S("a"), 0 },
	};

	check_cases(cases, ARRAY_LEN(cases));
}

#define CODE(text) S("{\"language\":\"r\",\"code\":\"" text "\"}")

static void strings_are_read_forgivingly(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "raw control characters stand for themselves",
		  CODE("if 1:\n\tpass\r\n\1\37\177\0x"), "r", S("if 1:\n\tpass\r\n\1\37\177\0x"),
		  0 },
		{ "known escapes", CODE("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "r", S("\"\\/\b\f\n\r\t"),
		  0 },
		{ "\\u in all lengths of UTF-8, both letter cases",
		  CODE("\\u0000\\u007f\\u0080\\u07ff\\u0800\\uFfFf\\u00e9"), "r",
		  S("\0\177\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xC3\xA9"), 0 },
		{ "a surrogate pair is one character", CODE("a\\ud83d\\uDE00b"), "r",
		  S("a" SMILE "b"), 0 },
		{ "the least and the greatest pair", CODE("\\uD800\\uDC00\\udbff\\udfff"), "r",
		  S("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), 0 },
		{ "a first half alone at the end", CODE("a\\ud83d"), "r", S("a" REPLACEMENT), 0 },
		{ "a first half in front of text", CODE("\\ud83dx"), "r", S(REPLACEMENT "x"), 0 },
		{ "a second half alone", CODE("\\ude00x\\udfff"), "r",
		  S(REPLACEMENT "x" REPLACEMENT), 0 },
		{ "halves in the wrong order", CODE("\\ude00\\ud83d"), "r",
		  S(REPLACEMENT REPLACEMENT), 0 },
		{ "two first halves, the second of them with its own",
		  CODE("\\ud83d\\ud83d\\ude00"), "r", S(REPLACEMENT SMILE), 0 },
		{ "the last first half is no second one", CODE("\\ud83d\\udbff\\udc00"), "r",
		  S(REPLACEMENT "\xF4\x8F\xB0\x80"), 0 },
		{ "the first character behind the halves is none",
		  CODE("\\ud83d\\ue000"), "r", S(REPLACEMENT "\xEE\x80\x80"), 0 },
		{ "a first half in front of another escape", CODE("\\ud83d\\n\\ud83d\\u0041"), "r",
		  S(REPLACEMENT "\n" REPLACEMENT "A"), 0 },
		{ "a first half in front of what only looks like a second",
		  CODE("\\ud83d\\ude0x\\ud83d\\ud\\ud83d\\x"), "r",
		  S(REPLACEMENT "\\ude0x" REPLACEMENT "\\ud" REPLACEMENT "\\x"), 0 },
		{ "a backslash in front of another character stays",
		  CODE("\\d\\'\\ \\N\\U0001\\0\\\n\\\xC3\xA9\\" SMILE), "r",
		  S("\\d\\'\\ \\N\\U0001\\0\\\n\\\xC3\xA9\\" SMILE), 0 },
		{ "a backslash in front of a NUL", CODE("\\\0x"), "r", S("\\\0x"), 0 },
		{ "\\u without four digits stays, and what ends it counts",
		  CODE("\\u\\u1\\u12x\\u12G4\\u123\\n\\u00e\\\"\\uu0041"), "r",
		  S("\\u\\u1\\u12x\\u12G4\\u123\n\\u00e\"\\uu0041"), 0 },
		{ "\\u that the quote ends", CODE("\\u12"), "r", S("\\u12"), 0 },
		{ "digits keep their letter case where they stay", CODE("\\uAbC-"), "r",
		  S("\\uAbC-"), 0 },
		{ "a decoded backslash begins no escape", CODE("\\\\n\\\\u0041\\u005cn"), "r",
		  S("\\n\\u0041\\n"), 0 },
		{ "a decoded quote ends no string", CODE("\\u0022,\\\"}"), "r", S("\",\"}"), 0 },
		{ "braces, brackets and commas in a string", CODE("{[,:]}"), "r", S("{[,:]}"), 0 },
		{ "characters of two to four bytes", CODE("\xC3\xA9\xE2\x82\xAC" SMILE), "r",
		  S("\xC3\xA9\xE2\x82\xAC" SMILE), 0 },
		{ "a half that is no escape is as it is", CODE("\xED\xA0\xBD"), "r",
		  S("\xED\xA0\xBD"), 0 },
		{ "the same forgiveness in what is stepped over",
		  S("{\"a\\d\n\":\"\\u1\\ud83d\\\"\n\",\"code\":\"x\"}"), "python", S("x"), 0 },
		{ "and where the code is held",
		  S("{\"code\":\"\\d\n\\ud83d\\ude00\\ud83d\",\"language\":\"r\"}"), "r",
		  S("\\d\n" SMILE REPLACEMENT), 0 },
		{ "longer runs and escapes between them",
		  CODE("0123456789012345678901234567890123456789012345678901234567890123456789\\n"
		       "abc\\nabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcd\\n"),
		  "r", S("0123456789012345678901234567890123456789012345678901234567890123456789\n"
		    "abc\nabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcd\n"), 0 },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

#define OPEN(text) S("{\"language\":\"r\",\"code\":\"a" text)

static void what_was_read_counts_where_the_arguments_end_early(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "nothing", S(""), "python", S(""), NOTHING },
		{ "white space only", S(" \t\r\n "), "python", S(""), NOTHING },
		{ "just the brace", S(" {"), "python", S(""), NOTHING },
		{ "in a key", S("{\"co"), "python", S(""), NOTHING },
		{ "behind a key", S("{\"code\""), "python", S(""), NOTHING },
		{ "behind a colon", S("{\"code\":"), "python", S(""), NOTHING },
		{ "an open code that is still empty is code", S("{\"code\":\""), "python", S(""),
		  EARLY },
		{ "an open code", OPEN("=1"), "r", S("a=1"), EARLY },
		{ "an open code without language", S("{\"code\":\"a=1"), "python", S("a=1"),
		  EARLY },
		{ "an open code that is not the first",
		  S("{\"code\":\"a\",\"code\":\"b"), "python", S("a"), EARLY },
		{ "an open language does not count", S("{\"code\":\"a\",\"language\":\"r"),
		  "python", S("a"), EARLY },
		{ "an open language alone", S("{\"language\":\"r"), "python", S(""), NOTHING },
		{ "a complete language counts", S("{\"language\":\"r\""), "r", S(""), NOTHING },
		{ "also behind the code", S("{\"code\":\"a\",\"language\":\"r\""), "r", S("a"),
		  EARLY },
		{ "a complete code in an object that is not", S("{\"code\":\"a\","), "python",
		  S("a"), EARLY },
		{ "within a nested value", S("{\"code\":\"a\",\"x\":[{\"language\":\"r\"}"),
		  "python", S("a"), EARLY },
		{ "within a number, a literal",
		  S("{\"code\":\"a\",\"language\":\"r\",\"x\":-"), "r", S("a"), EARLY },
		{ "a literal", S("{\"code\":\"a\",\"x\":tru"), "python", S("a"), EARLY },
		{ "a backslash at the end", OPEN("\\"), "r", S("a"), EARLY },
		{ "an escaped backslash at the end", OPEN("\\\\"), "r", S("a\\"), EARLY },
		{ "\\u at the end", OPEN("\\u"), "r", S("a"), EARLY },
		{ "three digits at the end", OPEN("\\u00e"), "r", S("a"), EARLY },
		{ "four digits are complete", OPEN("\\u00e9"), "r", S("a\xC3\xA9"), EARLY },
		{ "a \\u that cannot become an escape", OPEN("\\u00x"), "r", S("a\\u00x"), EARLY },
		{ "half a pair", OPEN("\\ud83d"), "r", S("a"), EARLY },
		{ "half a pair and a backslash", OPEN("\\ud83d\\"), "r", S("a"), EARLY },
		{ "half a pair and \\u", OPEN("\\ud83d\\u"), "r", S("a"), EARLY },
		{ "half a pair and a digit", OPEN("\\ud83d\\uD"), "r", S("a"), EARLY },
		{ "half a pair and three digits of its other half", OPEN("\\ud83d\\ude0"), "r",
		  S("a"), EARLY },
		{ "a half whose other one cannot come is alone", OPEN("\\ud83d\\u0"), "r",
		  S("a" REPLACEMENT), EARLY },
		{ "the same at the second digit", OPEN("\\ud83d\\ud8"), "r", S("a" REPLACEMENT),
		  EARLY },
		{ "the same with the last first half", OPEN("\\ud83d\\udb"), "r",
		  S("a" REPLACEMENT), EARLY },
		{ "a half in front of another that waits", OPEN("\\ud83d\\ud83d"), "r",
		  S("a" REPLACEMENT), EARLY },
		{ "a second half waits for nothing", OPEN("\\ude00"), "r", S("a" REPLACEMENT),
		  EARLY },
		{ "the same where the code is held", S("{\"code\":\"a\\ud83d\\ude0"), "python",
		  S("a"), EARLY },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

#define BROKEN(text) S("{\"language\":\"r\"," text ",\"code\":\"no\"}")
#define INTACT(text) S("{\"language\":\"r\"," text ",\"code\":\"yes\"}")

static void the_first_place_that_is_no_json_ends_it(void **state)
{
	(void)state;
	static const struct args_case cases[] = {
		{ "text behind a value", S("{\"code\":\"a\" x,\"language\":\"r\"}"), "python",
		  S("a"), EARLY },
		{ "text directly behind a value", S("{\"code\":\"a\"\"language\":\"r\"}"), "python",
		  S("a"), EARLY },
		{ "a comma in front of the end", S("{\"code\":\"a\",}"), "python", S("a"), EARLY },
		{ "a comma first", S("{,\"code\":\"a\"}"), "python", S(""), NOTHING },
		{ "two commas", BROKEN("\"x\":1,"), "r", S(""), NOTHING },
		{ "no colon", BROKEN("\"x\" 1"), "r", S(""), NOTHING },
		{ "two colons", BROKEN("\"x\"::1"), "r", S(""), NOTHING },
		{ "no value", BROKEN("\"x\":"), "r", S(""), NOTHING },
		{ "a key without quotes", S("{code:\"a\"}"), "python", S(""), NOTHING },
		{ "a key in other quotes", S("{'code':'a'}"), "python", S(""), NOTHING },
		{ "a key that is a number", S("{1:\"a\"}"), "python", S(""), NOTHING },
		{ "a value in other quotes", S("{\"language\":\"r\",\"code\":'a'}"), "r", S(""),
		  NOTHING },
		{ "the wrong end of an object", S("{\"code\":\"a\"]"), "python", S("a"), EARLY },
		{ "the wrong end of an array", BROKEN("\"x\":[1}"), "r", S(""), NOTHING },
		{ "the wrong end of an empty array", BROKEN("\"x\":[}"), "r", S(""), NOTHING },
		{ "the wrong end of an empty object", BROKEN("\"x\":{]"), "r", S(""), NOTHING },
		{ "a comma in front of the end of an array", BROKEN("\"x\":[1,]"), "r", S(""),
		  NOTHING },
		{ "a value in place of a key", BROKEN("\"x\":{[]}"), "r", S(""), NOTHING },
		{ "a colon in an array", BROKEN("\"x\":[\"a\":1]"), "r", S(""), NOTHING },
		{ "a comment", BROKEN("\"x\":1/* */"), "r", S(""), NOTHING },
		{ "a form feed is no white space", BROKEN("\f\"x\":1"), "r", S(""), NOTHING },
		{ "nor a NUL", BROKEN("\0\"x\":1"), "r", S(""), NOTHING },
		{ "nor a no-break space", BROKEN("\xC2\xA0\"x\":1"), "r", S(""), NOTHING },
		{ "literals", INTACT("\"x\":[true,false,null]"), "r", S("yes"), 0 },
		{ "a literal cut", BROKEN("\"x\":tru"), "r", S(""), NOTHING },
		{ "a literal that goes on", BROKEN("\"x\":nulll"), "r", S(""), NOTHING },
		{ "a literal in capitals", BROKEN("\"x\":True"), "r", S(""), NOTHING },
		{ "no number", BROKEN("\"x\":NaN"), "r", S(""), NOTHING },
		{ "numbers", INTACT("\"x\":[0,-0,10,0.0,1.5,0e0,1E1,1e+01,1.0e-0]"), "r", S("yes"),
		  0 },
		{ "a zero in front", BROKEN("\"x\":01"), "r", S(""), NOTHING },
		{ "the same with a sign", BROKEN("\"x\":-01"), "r", S(""), NOTHING },
		{ "just a sign", BROKEN("\"x\":-"), "r", S(""), NOTHING },
		{ "a plus", BROKEN("\"x\":+1"), "r", S(""), NOTHING },
		{ "two signs", BROKEN("\"x\":--1"), "r", S(""), NOTHING },
		{ "no digit behind the point", BROKEN("\"x\":1."), "r", S(""), NOTHING },
		{ "an exponent behind the point", BROKEN("\"x\":1.e1"), "r", S(""), NOTHING },
		{ "no digit before the point", BROKEN("\"x\":.5"), "r", S(""), NOTHING },
		{ "two points", BROKEN("\"x\":1.5.5"), "r", S(""), NOTHING },
		{ "an empty exponent", BROKEN("\"x\":1e"), "r", S(""), NOTHING },
		{ "an exponent of a sign", BROKEN("\"x\":1e+"), "r", S(""), NOTHING },
		{ "two exponents", BROKEN("\"x\":1e1e1"), "r", S(""), NOTHING },
		{ "a broken exponent", BROKEN("\"x\":1e1.5"), "r", S(""), NOTHING },
		{ "a hexadecimal number", BROKEN("\"x\":0x1"), "r", S(""), NOTHING },
		{ "the language counts if it was complete",
		  S("{\"code\":\"a\",\"language\":\"r\"!}"), "r", S("a"), EARLY },
		{ "what follows the break does not count",
		  S("{\"code\":\"a\"!,\"language\":\"r\"} x"), "python", S("a"), EARLY },
	};

	check_cases(cases, ARRAY_LEN(cases));
}

static void text_behind_the_object_is_noted(void **state)
{
	(void)state;
	static const struct args_case cases[] = {
		{ "white space is none", S("{\"code\":\"a\"} \r\n\t"), "python", S("a"), 0 },
		{ "a letter", S("{\"code\":\"a\"} x"), "python", S("a"), ARGS_TRAILING },
		{ "directly", S("{\"code\":\"a\"}}"), "python", S("a"), ARGS_TRAILING },
		{ "another object changes nothing",
		  S("{\"code\":\"a\"}\n{\"code\":\"b\",\"language\":\"r\"}"), "python", S("a"),
		  ARGS_TRAILING },
		{ "behind an empty object", S("{},"), "python", S(""),
		  ARGS_TRAILING | ARGS_NO_CODE },
		{ "a NUL is text", S("{\"code\":\"a\"}\0"), "python", S("a"), ARGS_TRAILING },
	};

	check_cases(cases, ARRAY_LEN(cases));
}

static void what_is_no_object_is_kept_as_it_stands(void **state)
{
	(void)state;
	static const struct args_case cases[] = {
		{ "bare code", S("print(1)"), NULL, S(""), ARGS_NO_OBJECT },
		{ "white space in front belongs to it", S(" \n\tprint(1) \n"), NULL, S(""),
		  ARGS_NO_OBJECT },
		{ "an array", S("[{\"code\":\"a\"}]"), NULL, S(""), ARGS_NO_OBJECT },
		{ "a string", S("\"{\\\"code\\\":\\\"a\\\"}\""), NULL, S(""), ARGS_NO_OBJECT },
		{ "null", S("null"), NULL, S(""), ARGS_NO_OBJECT },
		{ "a byte order mark", S("\xEF\xBB\xBF{\"code\":\"a\"}"), NULL, S(""),
		  ARGS_NO_OBJECT },
		{ "a form feed is no white space", S("\f{\"code\":\"a\"}"), NULL, S(""),
		  ARGS_NO_OBJECT },
		{ "a NUL", S("\0{}"), NULL, S(""), ARGS_NO_OBJECT },
		{ "nothing in it is decoded", S("x\\n\\u0041{\"\xED\xA0\xBD" SMILE), NULL, S(""),
		  ARGS_NO_OBJECT },
	};

	check_cases(cases, ARRAY_LEN(cases));
}

/* --- a second reading: the whole text at once, each rule as it is worded --- */

struct reading {
	const char *p, *end;
	bool        stopped; /* no JSON here, or the end */
	bool        has_code, has_language;
	struct buf  code, language;
};

static void ref_value(struct reading *r, const char *key, size_t key_len);

static bool ref_left(const struct reading *r, size_t n)
{
	return (size_t)(r->end - r->p) >= n;
}

static void ref_space(struct reading *r)
{
	while (r->p < r->end && memchr(" \t\r\n", *r->p, 4))
		r->p++;
}

/* ref_expect: the next character behind white space is c. */
static bool ref_expect(struct reading *r, char c)
{
	ref_space(r);
	if (r->stopped || r->p == r->end || *r->p != c) {
		r->stopped = true;
		return false;
	}
	r->p++;
	return true;
}

static bool ref_peek(struct reading *r, char c)
{
	ref_space(r);
	return r->p < r->end && *r->p == c;
}

/* ref_unit: the four digits behind a \u at p; -1: it is none. */
static long ref_unit(const char *p, const char *end)
{
	char digits[5] = { 0 };

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	memcpy(digits, p + 2, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* ref_is_cut: what stands at p up to the end is the beginning of such an escape (of a second half),
 * but not all of it. */
static bool ref_is_cut(const char *p, const char *end, bool second_half)
{
	static const char *const any[] = { "\\",
					   "u",
					   "0123456789abcdefABCDEF",
					   "0123456789abcdefABCDEF",
					   "0123456789abcdefABCDEF",
					   "0123456789abcdefABCDEF" };
	static const char *const second[] = {
		"\\", "u", "dD", "cdefCDEF", "0123456789abcdefABCDEF", "0123456789abcdefABCDEF"
	};

	for (size_t i = 0; i < 6; i++) {
		const char *set = (second_half ? second : any)[i];

		if (p + i == end)
			return true;
		if (!memchr(set, p[i], strlen(set)))
			return false;
	}
	return false;
}

static void ref_put(struct buf *out, unsigned long c)
{
	char json[16];
	int  n = c > 0xffff
			 ? snprintf(json, sizeof json, "\\u%04lx\\u%04lx",
				    0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff))
			 : snprintf(json, sizeof json, "\\u%04lx", c);

	assert_true(text_add(out, (struct str){ json, (size_t)n }));
}

/* ref_escape: one escape at p; false: it is cut by the end. */
static bool ref_escape(struct reading *r, struct buf *out)
{
	long unit = ref_unit(r->p, r->end);

	if (unit >= 0xd800 && unit <= 0xdbff) {
		long second = ref_unit(r->p + 6, r->end);

		if (second >= 0xdc00 && second <= 0xdfff) {
			ref_put(out, 0x10000ul + (unsigned long)((unit & 0x3ff) << 10 |
								 (second & 0x3ff)));
			r->p += 12;
			return true;
		}
		if (ref_is_cut(r->p + 6, r->end, true))
			return false;
		unit = 0xfffd;
	}
	if (unit >= 0xdc00 && unit <= 0xdfff)
		unit = 0xfffd;
	if (unit >= 0) {
		ref_put(out, (unsigned long)unit);
		r->p += 6;
		return true;
	}
	if (ref_is_cut(r->p, r->end, false))
		return false;

	const char *known = strchr("\"\"\\\\//b\bf\fn\nr\rt\t", r->p[1]);
	if (r->p[1] != '\0' && known && (unsigned char)r->p[1] >= ' ') {
		assert_true(buf_add(out, known + 1, 1));
		r->p += 2;
		return true;
	}
	assert_true(buf_add(out, r->p, 1));
	r->p++;
	return true;
}

/* ref_string: behind the quote, up to the closing one. */
static void ref_string(struct reading *r, struct buf *out)
{
	while (r->p < r->end && *r->p != '"') {
		if (*r->p != '\\') {
			assert_true(buf_add(out, r->p++, 1));
		} else if (!ref_escape(r, out)) {
			break;
		}
	}
	if (r->p == r->end || *r->p != '"')
		r->stopped = true;
	else
		r->p++;
}

static void ref_token(struct reading *r)
{
	static const char alphabet[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
				       "UVWXYZ";
	char              token[256];
	size_t            n = 0;
	regex_t           scalar;

	while (ref_left(r, 1) && *r->p != '\0' && strchr(alphabet, *r->p) && n < sizeof token - 1)
		token[n++] = *r->p++;
	token[n] = '\0';
	assert_int_equal(regcomp(&scalar,
				 "^(true|false|null|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)"
				 "?)$",
				 REG_EXTENDED | REG_NOSUB),
			 0);
	r->stopped |= regexec(&scalar, token, 0, NULL, 0) != 0;
	regfree(&scalar);
}

static void ref_object(struct reading *r, bool outermost)
{
	if (ref_peek(r, '}')) {
		r->p++;
		return;
	}
	do {
		struct buf key;

		buf_init(&key, 64 * MIB);
		if (ref_expect(r, '"'))
			ref_string(r, &key);
		if (!r->stopped && ref_expect(r, ':'))
			ref_value(r, outermost ? key.data : NULL, outermost ? key.len : 0);
		buf_finish(&key);
		ref_space(r);
	} while (!r->stopped && ref_left(r, 1) && *r->p == ',' && r->p++);
	(void)ref_expect(r, '}');
}

static void ref_array(struct reading *r)
{
	if (ref_peek(r, ']')) {
		r->p++;
		return;
	}
	do {
		ref_value(r, NULL, 0);
		ref_space(r);
	} while (!r->stopped && ref_left(r, 1) && *r->p == ',' && r->p++);
	(void)ref_expect(r, ']');
}

static void ref_string_value(struct reading *r, struct str key)
{
	struct buf value;

	buf_init(&value, 64 * MIB);
	ref_string(r, &value);
	if (str_is(key, "code") && !r->has_code) {
		r->has_code = true;
		assert_true(buf_str(&r->code, buf_view(&value)));
	}
	if (str_is(key, "language") && !r->has_language && !r->stopped) {
		r->has_language = true;
		assert_true(text_language(buf_view(&value), &r->language));
	}
	buf_finish(&value);
}

static void ref_value(struct reading *r, const char *key, size_t key_len)
{
	ref_space(r);
	char c = ref_left(r, 1) ? *r->p : '\0';

	if (c == '"') {
		r->p++;
		ref_string_value(r, (struct str){ key, key_len });
	} else if (c == '{') {
		r->p++;
		ref_object(r, false);
	} else if (c == '[') {
		r->p++;
		ref_array(r);
	} else {
		ref_token(r);
	}
}

static void ref_read(struct str text, struct seen *want)
{
	struct reading r = { .p = text.p, .end = text.p + text.n };

	buf_init(&r.code, 64 * MIB);
	buf_init(&r.language, 64 * MIB);
	ref_space(&r);
	if (r.p < r.end && *r.p != '{') {
		want->kind = SEGMENT_TOOL_CALL;
		want->flaws = ARGS_NO_OBJECT;
		assert_true(buf_text(&want->format, "execute") && buf_str(&want->content, text));
		return;
	}
	if (ref_expect(&r, '{'))
		ref_object(&r, true);
	ref_space(&r);
	want->kind = SEGMENT_CODE;
	want->flaws = (r.stopped     ? (unsigned)ARGS_ENDED_EARLY
		       : r.p < r.end ? (unsigned)ARGS_TRAILING
				     : 0u) |
		      (r.has_code ? 0u : (unsigned)ARGS_NO_CODE);
	assert_true(r.has_language ? buf_str(&want->format, buf_view(&r.language))
				   : buf_text(&want->format, "python"));
	assert_true(buf_str(&want->content, buf_view(&r.code)));
	buf_finish(&r.code);
	buf_finish(&r.language);
}

static void check_against_reading(struct str text)
{
	struct seen want;

	seen_init(&want);
	ref_read(text, &want);
	check_cut("random", text, text.n + 1, text.n + 1, &want);
	check_cut("random", text, 1, 1, &want);
	check_cut("random", text, CUT_AT_RANDOM, CUT_AT_RANDOM, &want);
	seen_finish(&want);
}

/* --- random texts --- */

static const struct str alphabet[] = {
	S("\""),
	S("\""),
	S("\""),
	S("\\"),
	S("\\"),
	S("\\u"),
	S("u"),
	S("{"),
	S("}"),
	S("["),
	S("]"),
	S(":"),
	S(","),
	S("code"),
	S("language"),
	S("\"code\":"),
	S("\"language\":"),
	S("true"),
	S("null"),
	S("0"),
	S("1"),
	S("8"),
	S("3"),
	S("d"),
	S("D"),
	S("c"),
	S("e"),
	S("-"),
	S("."),
	S("n"),
	S("x"),
	S(" "),
	S("\n"),
	S("\t"),
	S("\r"),
	S("\0"),
	S("\1"),
	S(SMILE),
	S("\\ud83d"),
	S("\\uDE00"),
	S("\\u00e9"),
	S("\\n"),
	S("\"r\""),
	S("\"a"),
};

static bool add_random(struct buf *out)
{
	return buf_str(out, alphabet[random_below((uint32_t)ARRAY_LEN(alphabet))]);
}

static void random_string(struct buf *out)
{
	assert_true(buf_text(out, "\""));
	for (uint32_t n = random_below(6); n > 0; n--) {
		struct str part = alphabet[random_below((uint32_t)ARRAY_LEN(alphabet))];

		if (!memchr(part.p, '"', part.n))
			assert_true(buf_str(out, part));
	}
	assert_true(buf_text(out, "\""));
}

static void random_value(struct buf *out, unsigned depth)
{
	static const char *const scalars[] = { "0", "-1.5e+3", "10", "true", "null", "1.", "01" };
	uint32_t                 kind = random_below(depth > 3 ? 7 : 10);

	if (kind < 5) {
		random_string(out);
	} else if (kind < 7) {
		assert_true(buf_text(out, scalars[random_below(depth > 0 ? 7 : 5)]));
	} else {
		bool     object = kind > 7;
		uint32_t count = random_below(4);

		assert_true(buf_text(out, object ? "{" : "["));
		for (uint32_t i = 0; i < count; i++) {
			const char *key = random_below(2) ? "\"code\":" : "\"a\":";

			assert_true(buf_text(out, object ? key : ""));
			random_value(out, depth + 1);
			assert_true(i + 1 == count || buf_text(out, ","));
		}
		assert_true(buf_text(out, object ? "}" : "]"));
	}
}

static void random_object(struct buf *out)
{
	static const char *const keys[] = { "\"code\"", "\"language\"", "\"\\u0063ode\"", "\"x\"" };
	uint32_t                 count = random_below(5);

	assert_true(buf_text(out, random_below(4) ? "{" : " {"));
	for (uint32_t i = 0; i < count; i++) {
		assert_true(buf_text(out, keys[random_below(4)]) && buf_text(out, ":"));
		random_value(out, 0);
		assert_true(i + 1 == count || buf_text(out, random_below(2) ? "," : "\n, "));
	}
	assert_true(buf_text(out, random_below(8) ? "}" : "} x"));
}

/* break_text: a few parts taken out, put in, or the end cut off. */
static void break_text(struct buf *text, struct buf *scratch)
{
	for (uint32_t n = random_below(4); n > 0 && text->len > 0; n--) {
		size_t at = random_below((uint32_t)text->len);
		size_t gap = random_below(3) ? 0 : random_below(4);

		gap = gap < text->len - at ? gap : text->len - at;
		buf_clear(scratch);
		assert_true(buf_add(scratch, text->data, at));
		if (random_below(2))
			assert_true(add_random(scratch));
		if (random_below(8))
			assert_true(buf_add(scratch, text->data + at + gap, text->len - at - gap));
		buf_clear(text);
		assert_true(buf_str(text, buf_view(scratch)));
	}
}

static void random_texts_are_read_as_the_second_reading_does(void **state)
{
	(void)state;
	struct buf text, scratch;

	random_state = 20240711;
	buf_init(&text, MIB);
	buf_init(&scratch, MIB);
	for (int i = 0; i < 30000; i++) {
		buf_clear(&text);
		if (i % 3 == 0) {
			if (i % 2)
				assert_true(buf_text(&text, "{\"code\":\""));
			for (uint32_t n = random_below(14); n > 0; n--)
				assert_true(add_random(&text));
		} else {
			random_object(&text);
			break_text(&text, &scratch);
		}
		check_against_reading(text.len ? buf_view(&text) : STR(""));
	}
	buf_finish(&text);
	buf_finish(&scratch);
}

static void the_second_reading_agrees_with_some_cases(void **state)
{
	(void)state;
	static const char *const cases[] = { "",
					     " ",
					     "{}",
					     "{\"code\":\"a\\ud83d\\",
					     "[",
					     "{} {}",
					     "{\"language\":\"R x\",\"x\":[{},1e5],\"code\":\"a" };
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check_against_reading(str_of(cases[i]));
}

/* --- promptness --- */

static void code_is_given_as_it_arrives(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		struct str  piece;
		bool        open;
		const char *content;
		unsigned    texts;
	} steps[] = {
		{ "the language is not complete", S("{\"language\":\"pyth"), false, "", 0 },
		{ "code at once", S("on\",\"code\":\"pri"), true, "pri", 1 },
		{ "a plain piece is one text", S("nt(1)"), true, "print(1)", 2 },
		{ "so is one with escapes in it", S("\\n\\tx = \\\"y\\\"\\n"), true,
		  "print(1)\n\tx = \"y\"\n", 3 },
		{ "half an escape gives nothing", S("\\"), true, "print(1)\n\tx = \"y\"\n", 3 },
		{ "what comes with half an escape is given", S("nz\\u00"), true,
		  "print(1)\n\tx = \"y\"\n\nz", 4 },
		{ "the end of the string", S("41\""), true, "print(1)\n\tx = \"y\"\n\nzA", 5 },
		{ "the end of the object gives no more", S("}"), true,
		  "print(1)\n\tx = \"y\"\n\nzA", 5 },
	};
	struct seen s;

	seen_init(&s);
	struct args *a = args_create(&sink, &s, KIB);
	assert_non_null(a);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		bool ok = feed_copy(a, steps[i].piece) && (s.opened == 1) == steps[i].open &&
			  str_is(buf_view(&s.content), steps[i].content) &&
			  s.texts == steps[i].texts;

		if (!ok)
			print_error("step: %s\n", steps[i].why);
		assert_true(ok);
	}
	assert_int_equal(s.closed, 0);
	assert_true(args_end(a, &s.flaws));
	assert_int_equal(s.closed, 1);
	args_destroy(a);
	seen_finish(&s);
}

/* assert_given_after: what the sink has while the arguments go on. */
static void assert_given_after(const char *text, const char *format, const char *content)
{
	struct seen  s;
	struct args *a = args_create(&sink, &s, KIB);

	seen_init(&s);
	assert_non_null(a);
	assert_true(feed_copy(a, str_of(text)));
	assert_int_equal(s.opened, format ? 1 : 0);
	assert_true(str_is(buf_view(&s.format), format ? format : ""));
	assert_true(str_is(buf_view(&s.content), content));
	args_destroy(a); /* also without an end */
	seen_finish(&s);
}

static void nothing_waits_longer_than_it_must(void **state)
{
	(void)state;
	assert_given_after("{\"language\":\"python\",\"code\":\"pri", "python", "pri");
	assert_given_after("{\"code\":\"pri", NULL, "");
	assert_given_after("{\"code\":\"pri\",\"x\":1", NULL, "");
	assert_given_after("{\"code\":\"pri\",\"language\":\"r\"", "r", "pri");
	assert_given_after("{\"code\":\"pri\"}", "python", "pri");
	assert_given_after("{\"code\":\"pri\"!", "python", "pri");
	assert_given_after("{\"language\":\"r\"", "r", "");
	assert_given_after("  ", NULL, "");
	assert_given_after("  x\\", "execute", "  x\\");
}

/* --- limits --- */

static struct str filled(struct buf *out, const char *front, char c, size_t n, const char *back)
{
	buf_clear(out);
	assert_true(buf_text(out, front));
	for (size_t i = 0; i < n; i++)
		assert_true(buf_add(out, &c, 1));
	assert_true(buf_text(out, back));
	return buf_view(out);
}

static void only_what_must_be_held_back_is_limited(void **state)
{
	(void)state;
	static const struct {
		const char *why, *front;
		char        fill;
		size_t      count;
		const char *back;
		bool        ok;
	} cases[] = {
		{ "code without a language, all there is room for", "{\"code\":\"", 'x', 64,
		  "\",\"language\":\"\"}", true },
		{ "one byte more", "{\"code\":\"", 'x', 65, "\",\"language\":\"\"}", false },
		{ "code and language share the room", "{\"code\":\"", 'x', 60,
		  "\",\"language\":\"bash\"}", true },
		{ "and no more than that", "{\"code\":\"", 'x', 61, "\",\"language\":\"bash\"}",
		  false },
		{ "a language", "{\"language\":\"", 'x', 64, "\"}", true },
		{ "too long a language", "{\"language\":\"", 'x', 65, "\"}", false },
		{ "white space in front", "", ' ', 64, "{}", true },
		{ "too much of it", "", ' ', 65, "{}", false },
		{ "white space at other places", "{", ' ', 5000, "}", true },
		{ "code that is given at once", "{\"language\":\"r\",\"code\":\"", 'x', 5000, "\"}",
		  true },
		{ "a key", "{\"", 'x', 5000, "\":1}", true },
		{ "another string", "{\"a\":\"", 'x', 5000, "\"}", true },
		{ "a second code", "{\"code\":\"a\",\"code\":\"", 'x', 5000, "\"}", true },
		{ "text behind the object", "{}", 'x', 5000, "", true },
		{ "what is no object", "", 'x', 5000, "", true },
	};
	struct buf text;

	buf_init(&text, MIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t step = 1; step < 8; step += 6) {
			struct seen s;
			struct str  all = filled(&text, cases[i].front, cases[i].fill,
						 cases[i].count, cases[i].back);

			seen_init(&s);
			if (run(all, step, step, 64, &s) != cases[i].ok) {
				print_error("case: %s\n", cases[i].why);
				fail();
			}
			seen_finish(&s);
		}
	buf_finish(&text);
}

static void nesting_has_a_limit(void **state)
{
	(void)state;
	static const struct {
		const char *why, *open, *close;
		size_t      depth;
		bool        ok;
	} cases[] = {
		{ "arrays", "[", "]", 4095, true },
		{ "one too many, with the outermost object", "[", "]", 4096, false },
		{ "objects", "{\"code\":", "}", 4095, true },
		{ "one object too many", "{\"code\":", "}", 4096, false },
		{ "both in turn", "[{\"a\":", "}]", 2047, true },
		{ "very many", "[", "]", 100000, false },
	};
	struct buf text;

	buf_init(&text, MIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct seen s;

		buf_clear(&text);
		assert_true(buf_text(&text, "{\"language\":\"r\",\"a\":"));
		for (size_t n = 0; n < cases[i].depth; n++)
			assert_true(buf_text(&text, cases[i].open));
		assert_true(buf_text(&text, "1"));
		for (size_t n = 0; n < cases[i].depth; n++)
			assert_true(buf_text(&text, cases[i].close));
		assert_true(buf_text(&text, ",\"code\":\"x\"}"));
		seen_init(&s);
		assert_true(run(buf_view(&text), 100, 100, KIB, &s));
		if (s.flaws != (cases[i].ok ? 0u : (unsigned)NOTHING)) {
			print_error("case: %s\n", cases[i].why);
			fail();
		}
		seen_finish(&s);
	}
	buf_finish(&text);
}

static void a_sink_that_says_no_hears_nothing_more(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"{\"language\":\"r\",\"code\":\"a\\nb\"} x",
		"{\"code\":\"a\",\"language\":\"r\"}",
		"{\"code\":\"a\\nb\\u0041c",
		"{\"code\":\"a\"!",
		"{\"code\":\"a\"}",
		" x\\ny",
		"",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		for (unsigned calls = 1; calls < 8; calls++)
			for (size_t step = 1; step < 40; step += 38) {
				struct seen s;

				seen_init(&s);
				s.calls_left = calls;
				bool ok = run(str_of(texts[i]), step, step, KIB, &s);
				assert_true(ok == (s.calls_left > 0));
				seen_finish(&s);
			}
}

static void after_a_no_everything_fails(void **state)
{
	(void)state;
	struct seen  s;
	struct args *a = args_create(&sink, &s, KIB);

	seen_init(&s);
	s.calls_left = 1;
	assert_non_null(a);
	assert_false(args_feed(a, STR("{\"language\":\"r\"")));
	assert_false(args_feed(a, STR(",\"code\":\"a\"}")));
	assert_false(args_feed(a, STR_NONE));
	s.flaws = 77;
	assert_false(args_end(a, &s.flaws));
	assert_int_equal(s.flaws, 77);
	args_destroy(a);
	args_destroy(NULL);
	seen_finish(&s);
}

/* --- cost --- */

static double seconds_for(struct str text, size_t step)
{
	struct seen s;
	double      least = 1e9;

	for (int i = 0; i < 2; i++) {
		seen_init(&s);
		clock_t begin = clock();
		assert_true(run(text, step, step, 64 * MIB, &s));
		double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
		least = took < least ? took : least;
		seen_finish(&s);
	}
	return least;
}

static void repeat(struct buf *out, const char *front, const char *part, size_t bytes)
{
	buf_clear(out);
	assert_true(buf_text(out, front));
	while (out->len < bytes)
		assert_true(buf_text(out, part));
}

/* Ten times the text may take thirty times as long, but not the hundred of a square. */
static void the_cost_is_linear(void **state)
{
	(void)state;
	static const struct {
		const char *why, *front, *part;
		size_t      step;
	} cases[] = {
		{ "code in small pieces", "{\"language\":\"r\",\"code\":\"", "print(1)\\n", 10 },
		{ "code whole", "{\"language\":\"r\",\"code\":\"", "print(1)\\n", 8 * MIB },
		{ "backslashes without a quote, whole", "{\"language\":\"r\",\"code\":\"", "\\\\",
		  8 * MIB },
		{ "code that is held, in small pieces", "{\"code\":\"", "print(1)\\n", 10 },
		{ "halves of pairs", "{\"language\":\"r\",\"code\":\"", "\\ud83d", 8 * MIB },
		{ "white space in front, in small pieces", "", " \n \t", 10 },
		{ "a language that does not end", "{\"language\":\"", "\\u0020", 10 },
		{ "members", "{", "\"code\":1,", 8 * MIB },
		{ "ends of arrays and beginnings", "{\"a\":[", "[],", 8 * MIB },
		{ "no object", "x", "print(1)\\n", 10 },
	};
	/* A run that is refused memory measures nothing. */
	const size_t least = getenv("PARLEY_REFUSE_UNIT") ? 5 * 1000 : 500 * 1000;
	struct buf   text;

	buf_init(&text, 8 * MIB);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		repeat(&text, cases[i].front, cases[i].part, least);
		double small = seconds_for(buf_view(&text), cases[i].step);
		repeat(&text, cases[i].front, cases[i].part, 10 * least);
		double large = seconds_for(buf_view(&text), cases[i].step);

		/* Below a few milliseconds the clock says little. */
		if (large > 30 * (small > 0.005 ? small : 0.005)) {
			print_error("case: %s: %.4f s, then %.4f s\n", cases[i].why, small, large);
			fail();
		}
	}
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_members_of_the_object_are_code_and_language),
		cmocka_unit_test(the_language_is_made_regular),
		cmocka_unit_test(strings_are_read_forgivingly),
		cmocka_unit_test(what_was_read_counts_where_the_arguments_end_early),
		cmocka_unit_test(the_first_place_that_is_no_json_ends_it),
		cmocka_unit_test(text_behind_the_object_is_noted),
		cmocka_unit_test(what_is_no_object_is_kept_as_it_stands),
		cmocka_unit_test(the_second_reading_agrees_with_some_cases),
		cmocka_unit_test(random_texts_are_read_as_the_second_reading_does),
		cmocka_unit_test(code_is_given_as_it_arrives),
		cmocka_unit_test(nothing_waits_longer_than_it_must),
		cmocka_unit_test(only_what_must_be_held_back_is_limited),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(a_sink_that_says_no_hears_nothing_more),
		cmocka_unit_test(after_a_no_everything_fails),
		cmocka_unit_test(the_cost_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
