/* The arguments of `execute`: each rule by example and with any cut; what is held back, and what it costs. */
#include "tests/unit/lmc_args_seen.h"

#include <time.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* --- cases --- */

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

struct args_case {
	const char *why;
	struct str  text;
	const char *language; /* NULL: a tool call of execute, as it stands */
	struct str  content;
	unsigned    flaws;
};

/* What is read of a text; a text is cut by its end, or by the first place that is no JSON. */
/* clang-format off */
#define IS(language, content)       language, S(content), 0
#define TRAILING(language, content) language, S(content), ARGS_TRAILING
#define CUT(language, content)      language, S(content), ARGS_ENDED_EARLY
#define CUT_BEFORE_CODE(language)   language, S(""), ARGS_ENDED_EARLY | ARGS_NO_CODE
#define NO_CODE(language)           language, S(""), ARGS_NO_CODE
#define KEPT                        NULL, S(""), ARGS_NO_OBJECT
/* clang-format on */

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
		{ "language first", S("{\"language\":\"python\",\"code\":\"a=1\"}"), IS("python", "a=1") },
		{ "code first", S("{\"code\":\"a=1\",\"language\":\"Shell\"}"), IS("shell", "a=1") },
		{ "no language", S("{\"code\":\"a=1\"}"), IS("python", "a=1") },
		{ "empty code is code", S("{\"language\":\"r\",\"code\":\"\"}"), IS("r", "") },
		{ "empty code first", S("{\"code\":\"\",\"language\":\"r\"}"), IS("r", "") },
		{ "white space wherever it may stand",
		  S(" \t\r\n{ \t\r\n\"language\" \n: \"r\"\t,\r\"code\"\n:\n\"1\" } \t\r\n"),
		  IS("r", "1") },
		{ "other members are stepped over, between and around",
		  S("{\"a\":1,\"language\":\"r\",\"b\":[1,{\"code\":\"no\"}],\"code\":\"1\",\"c\":null}"),
		  IS("r", "1") },
		{ "nested objects do not count",
		  S("{\"x\":{\"code\":\"no\",\"language\":\"no\"},\"code\":\"yes\"}"),
		  IS("python", "yes") },
		{ "nor what is in the value of code itself",
		  S("{\"code\":{\"code\":\"no\"},\"language\":[\"no\"],\"code\":\"yes\"}"),
		  IS("python", "yes") },
		{ "the first code with a string counts, if another comes",
		  S("{\"code\":\"a\",\"code\":\"b\",\"language\":\"r\"}"), IS("r", "a") },
		{ "the same when it streams", S("{\"language\":\"r\",\"code\":\"a\",\"code\":\"b\"}"),
		  IS("r", "a") },
		{ "an empty first code is the first", S("{\"code\":\"\",\"code\":\"b\"}"),
		  IS("python", "") },
		{ "a code that is no string does not count",
		  S("{\"code\":5,\"code\":null,\"code\":[\"x\"],\"code\":\"a\"}"), IS("python", "a") },
		{ "the first language with a string counts",
		  S("{\"language\":1,\"language\":\"r\",\"language\":\"sh\",\"code\":\"a\"}"),
		  IS("r", "a") },
		{ "also behind the code",
		  S("{\"code\":\"a\",\"language\":{},\"language\":\"r\",\"language\":\"sh\"}"),
		  IS("r", "a") },
		{ "an empty language is python", S("{\"language\":\"\",\"language\":\"r\",\"code\":\"a\"}"),
		  IS("python", "a") },
		{ "keys are compared decoded", S("{\"c\\u006fde\":\"a\",\"\\u006C\\u0061nguage\":\"r\"}"),
		  IS("r", "a") },
		{ "keys that only begin so", S("{\"codes\":\"a\",\"cod\":\"b\",\"languages\":\"r\"}"),
		  NO_CODE("python") },
		{ "a NUL is part of a key", S("{\"code\\u0000\":\"a\",\"code\0\":\"b\"}"),
		  NO_CODE("python") },
		{ "letter case matters in keys", S("{\"Code\":\"a\",\"LANGUAGE\":\"r\"}"),
		  NO_CODE("python") },
		{ "an escape that is none is part of the key", S("{\"\\code\":\"a\"}"), NO_CODE("python") },
		{ "an empty key and a long one",
		  S("{\"\":\"a\",\"language language language\":\"b\",\"code\":\"c\"}"),
		  IS("python", "c") },
		{ "no code", S("{\"language\":\"r\"}"), NO_CODE("r") },
		{ "an empty object", S("{}"), NO_CODE("python") },
		{ "every kind of value",
		  S("{\"a\":[],\"b\":{},\"c\":[[],{}],\"d\":true,\"e\":false,\"f\":null,\"g\":-0,"
		    "\"h\":0.5,\"i\":10E+2,\"j\":-1.25e-7,\"k\":[1,0,\"\\\"]}\"],\"code\":\"a\"}"),
		  IS("python", "a") },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

static void the_language_is_made_regular(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "letters are made small", S("{\"language\":\"PyThOn3\",\"code\":\"\"}"),
		  IS("python3", "") },
		{ "white space and braces around go, then the first word counts",
		  S("{\"language\":\" {{ bash\\t-x}} \",\"code\":\"a\"}"), IS("bash", "a") },
		{ "signs that names have", S("{\"language\":\"c++#_.-9\",\"code\":\"a\"}"),
		  IS("c++#_.-9", "a") },
		{ "other characters go", S("{\"language\":\"j\xC3\xA9(s)" SMILE "\",\"code\":\"a\"}"),
		  IS("js", "a") },
		{ "if nothing is left", S("{\"language\":\" {} \",\"code\":\"a\"}"), IS("python", "a") },
		{ "escapes are decoded before", S("{\"language\":\"\\u0052\\n x\",\"code\":\"a\"}"),
		  IS("r", "a") },
		{ "an escape that is none", S("{\"language\":\"\\sh\",\"code\":\"a\"}"), IS("sh", "a") },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

#define CODE(text) S("{\"language\":\"r\",\"code\":\"" text "\"}")

static void strings_are_read_forgivingly(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "raw control characters stand for themselves", CODE("if 1:\n\tpass\r\n\1\37\177\0x"),
		  IS("r", "if 1:\n\tpass\r\n\1\37\177\0x") },
		{ "known escapes", CODE("\\\"\\\\\\/\\b\\f\\n\\r\\t"), IS("r", "\"\\/\b\f\n\r\t") },
		{ "\\u in all lengths of UTF-8, both letter cases",
		  CODE("\\u0000\\u007f\\u0080\\u07ff\\u0800\\uFfFf\\u00e9"),
		  IS("r", "\0\177\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xC3\xA9") },
		{ "a surrogate pair is one character", CODE("a\\ud83d\\uDE00b"), IS("r", "a" SMILE "b") },
		{ "the least and the greatest pair", CODE("\\uD800\\uDC00\\udbff\\udfff"),
		  IS("r", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF") },
		{ "a first half alone at the end", CODE("a\\ud83d"), IS("r", "a" REPLACEMENT) },
		{ "a first half in front of text", CODE("\\ud83dx"), IS("r", REPLACEMENT "x") },
		{ "a second half alone", CODE("\\ude00x\\udfff"), IS("r", REPLACEMENT "x" REPLACEMENT) },
		{ "halves in the wrong order", CODE("\\ude00\\ud83d"), IS("r", REPLACEMENT REPLACEMENT) },
		{ "two first halves, the second of them with its own", CODE("\\ud83d\\ud83d\\ude00"),
		  IS("r", REPLACEMENT SMILE) },
		{ "the last first half is no second one", CODE("\\ud83d\\udbff\\udc00"),
		  IS("r", REPLACEMENT "\xF4\x8F\xB0\x80") },
		{ "the first character behind the halves is none", CODE("\\ud83d\\ue000"),
		  IS("r", REPLACEMENT "\xEE\x80\x80") },
		{ "a first half in front of another escape", CODE("\\ud83d\\n\\ud83d\\u0041"),
		  IS("r", REPLACEMENT "\n" REPLACEMENT "A") },
		{ "a first half in front of what only looks like a second",
		  CODE("\\ud83d\\ude0x\\ud83d\\ud\\ud83d\\x"),
		  IS("r", REPLACEMENT "\\ude0x" REPLACEMENT "\\ud" REPLACEMENT "\\x") },
		{ "a backslash in front of another character stays",
		  CODE("\\d\\'\\ \\N\\U0001\\0\\\n\\\xC3\xA9\\" SMILE),
		  IS("r", "\\d\\'\\ \\N\\U0001\\0\\\n\\\xC3\xA9\\" SMILE) },
		{ "a backslash in front of a NUL", CODE("\\\0x"), IS("r", "\\\0x") },
		{ "\\u without four digits stays, and what ends it counts",
		  CODE("\\u\\u1\\u12x\\u12G4\\u123\\n\\u00e\\\"\\uu0041"),
		  IS("r", "\\u\\u1\\u12x\\u12G4\\u123\n\\u00e\"\\uu0041") },
		{ "\\u that the quote ends", CODE("\\u12"), IS("r", "\\u12") },
		{ "digits keep their letter case where they stay", CODE("\\uAbC-"), IS("r", "\\uAbC-") },
		{ "a decoded backslash begins no escape", CODE("\\\\n\\\\u0041\\u005cn"),
		  IS("r", "\\n\\u0041\\n") },
		{ "a decoded quote ends no string", CODE("\\u0022,\\\"}"), IS("r", "\",\"}") },
		{ "braces, brackets and commas in a string", CODE("{[,:]}"), IS("r", "{[,:]}") },
		{ "characters of two to four bytes", CODE("\xC3\xA9\xE2\x82\xAC" SMILE),
		  IS("r", "\xC3\xA9\xE2\x82\xAC" SMILE) },
		{ "a half that is no escape is as it is", CODE("\xED\xA0\xBD"), IS("r", "\xED\xA0\xBD") },
		{ "the same forgiveness in what is stepped over",
		  S("{\"a\\d\n\":\"\\u1\\ud83d\\\"\n\",\"code\":\"x\"}"), IS("python", "x") },
		{ "and where the code is held",
		  S("{\"code\":\"\\d\n\\ud83d\\ude00\\ud83d\",\"language\":\"r\"}"),
		  IS("r", "\\d\n" SMILE REPLACEMENT) },
		{ "longer runs and escapes between them",
		  CODE("0123456789012345678901234567890123456789012345678901234567890123456789\\n"
		    "abc\\nabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcd\\n"),
		  IS("r", "0123456789012345678901234567890123456789012345678901234567890123456789\n"
		    "abc\nabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcd\n") },
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
		{ "nothing", S(""), CUT_BEFORE_CODE("python") },
		{ "white space only", S(" \t\r\n "), CUT_BEFORE_CODE("python") },
		{ "just the brace", S(" {"), CUT_BEFORE_CODE("python") },
		{ "in a key", S("{\"co"), CUT_BEFORE_CODE("python") },
		{ "behind a key", S("{\"code\""), CUT_BEFORE_CODE("python") },
		{ "behind a colon", S("{\"code\":"), CUT_BEFORE_CODE("python") },
		{ "an open code that is still empty is code", S("{\"code\":\""), CUT("python", "") },
		{ "an open code", OPEN("=1"), CUT("r", "a=1") },
		{ "an open code without language", S("{\"code\":\"a=1"), CUT("python", "a=1") },
		{ "an open code that is not the first", S("{\"code\":\"a\",\"code\":\"b"),
		  CUT("python", "a") },
		{ "an open language does not count", S("{\"code\":\"a\",\"language\":\"r"),
		  CUT("python", "a") },
		{ "an open language alone", S("{\"language\":\"r"), CUT_BEFORE_CODE("python") },
		{ "a complete language counts", S("{\"language\":\"r\""), CUT_BEFORE_CODE("r") },
		{ "also behind the code", S("{\"code\":\"a\",\"language\":\"r\""), CUT("r", "a") },
		{ "a complete code in an object that is not", S("{\"code\":\"a\","), CUT("python", "a") },
		{ "within a nested value", S("{\"code\":\"a\",\"x\":[{\"language\":\"r\"}"),
		  CUT("python", "a") },
		{ "within a number, a literal", S("{\"code\":\"a\",\"language\":\"r\",\"x\":-"),
		  CUT("r", "a") },
		{ "a literal", S("{\"code\":\"a\",\"x\":tru"), CUT("python", "a") },
		{ "a backslash at the end", OPEN("\\"), CUT("r", "a") },
		{ "an escaped backslash at the end", OPEN("\\\\"), CUT("r", "a\\") },
		{ "\\u at the end", OPEN("\\u"), CUT("r", "a") },
		{ "three digits at the end", OPEN("\\u00e"), CUT("r", "a") },
		{ "four digits are complete", OPEN("\\u00e9"), CUT("r", "a\xC3\xA9") },
		{ "a \\u that cannot become an escape", OPEN("\\u00x"), CUT("r", "a\\u00x") },
		{ "half a pair", OPEN("\\ud83d"), CUT("r", "a") },
		{ "half a pair and a backslash", OPEN("\\ud83d\\"), CUT("r", "a") },
		{ "half a pair and \\u", OPEN("\\ud83d\\u"), CUT("r", "a") },
		{ "half a pair and a digit", OPEN("\\ud83d\\uD"), CUT("r", "a") },
		{ "half a pair and three digits of its other half", OPEN("\\ud83d\\ude0"), CUT("r", "a") },
		{ "a half whose other one cannot come is alone", OPEN("\\ud83d\\u0"),
		  CUT("r", "a" REPLACEMENT) },
		{ "the same at the second digit", OPEN("\\ud83d\\ud8"), CUT("r", "a" REPLACEMENT) },
		{ "the same with the last first half", OPEN("\\ud83d\\udb"), CUT("r", "a" REPLACEMENT) },
		{ "a half in front of another that waits", OPEN("\\ud83d\\ud83d"),
		  CUT("r", "a" REPLACEMENT) },
		{ "a second half waits for nothing", OPEN("\\ude00"), CUT("r", "a" REPLACEMENT) },
		{ "the same where the code is held", S("{\"code\":\"a\\ud83d\\ude0"), CUT("python", "a") },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

#define BROKEN(text) S("{\"language\":\"r\"," text ",\"code\":\"no\"}")
#define INTACT(text) S("{\"language\":\"r\"," text ",\"code\":\"yes\"}")

static void the_first_place_that_is_no_json_ends_it(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "text behind a value", S("{\"code\":\"a\" x,\"language\":\"r\"}"), CUT("python", "a") },
		{ "text directly behind a value", S("{\"code\":\"a\"\"language\":\"r\"}"),
		  CUT("python", "a") },
		{ "a comma in front of the end", S("{\"code\":\"a\",}"), CUT("python", "a") },
		{ "a comma first", S("{,\"code\":\"a\"}"), CUT_BEFORE_CODE("python") },
		{ "two commas", BROKEN("\"x\":1,"), CUT_BEFORE_CODE("r") },
		{ "no colon", BROKEN("\"x\" 1"), CUT_BEFORE_CODE("r") },
		{ "two colons", BROKEN("\"x\"::1"), CUT_BEFORE_CODE("r") },
		{ "no value", BROKEN("\"x\":"), CUT_BEFORE_CODE("r") },
		{ "a key without quotes", S("{code:\"a\"}"), CUT_BEFORE_CODE("python") },
		{ "a key in other quotes", S("{'code':'a'}"), CUT_BEFORE_CODE("python") },
		{ "a key that is a number", S("{1:\"a\"}"), CUT_BEFORE_CODE("python") },
		{ "a value in other quotes", S("{\"language\":\"r\",\"code\":'a'}"), CUT_BEFORE_CODE("r") },
		{ "the wrong end of an object", S("{\"code\":\"a\"]"), CUT("python", "a") },
		{ "the wrong end of an array", BROKEN("\"x\":[1}"), CUT_BEFORE_CODE("r") },
		{ "the wrong end of an empty array", BROKEN("\"x\":[}"), CUT_BEFORE_CODE("r") },
		{ "the wrong end of an empty object", BROKEN("\"x\":{]"), CUT_BEFORE_CODE("r") },
		{ "a comma in front of the end of an array", BROKEN("\"x\":[1,]"), CUT_BEFORE_CODE("r") },
		{ "a value in place of a key", BROKEN("\"x\":{[]}"), CUT_BEFORE_CODE("r") },
		{ "a colon in an array", BROKEN("\"x\":[\"a\":1]"), CUT_BEFORE_CODE("r") },
		{ "a comment", BROKEN("\"x\":1/* */"), CUT_BEFORE_CODE("r") },
		{ "a form feed is no white space", BROKEN("\f\"x\":1"), CUT_BEFORE_CODE("r") },
		{ "nor a NUL", BROKEN("\0\"x\":1"), CUT_BEFORE_CODE("r") },
		{ "nor a no-break space", BROKEN("\xC2\xA0\"x\":1"), CUT_BEFORE_CODE("r") },
		{ "literals", INTACT("\"x\":[true,false,null]"), IS("r", "yes") },
		{ "a literal cut", BROKEN("\"x\":tru"), CUT_BEFORE_CODE("r") },
		{ "a literal that goes on", BROKEN("\"x\":nulll"), CUT_BEFORE_CODE("r") },
		{ "a literal in capitals", BROKEN("\"x\":True"), CUT_BEFORE_CODE("r") },
		{ "no number", BROKEN("\"x\":NaN"), CUT_BEFORE_CODE("r") },
		{ "numbers", INTACT("\"x\":[0,-0,10,0.0,1.5,0e0,1E1,1e+01,1.0e-0]"), IS("r", "yes") },
		{ "a zero in front", BROKEN("\"x\":01"), CUT_BEFORE_CODE("r") },
		{ "the same with a sign", BROKEN("\"x\":-01"), CUT_BEFORE_CODE("r") },
		{ "just a sign", BROKEN("\"x\":-"), CUT_BEFORE_CODE("r") },
		{ "a plus", BROKEN("\"x\":+1"), CUT_BEFORE_CODE("r") },
		{ "two signs", BROKEN("\"x\":--1"), CUT_BEFORE_CODE("r") },
		{ "no digit behind the point", BROKEN("\"x\":1."), CUT_BEFORE_CODE("r") },
		{ "an exponent behind the point", BROKEN("\"x\":1.e1"), CUT_BEFORE_CODE("r") },
		{ "no digit before the point", BROKEN("\"x\":.5"), CUT_BEFORE_CODE("r") },
		{ "two points", BROKEN("\"x\":1.5.5"), CUT_BEFORE_CODE("r") },
		{ "an empty exponent", BROKEN("\"x\":1e"), CUT_BEFORE_CODE("r") },
		{ "an exponent of a sign", BROKEN("\"x\":1e+"), CUT_BEFORE_CODE("r") },
		{ "two exponents", BROKEN("\"x\":1e1e1"), CUT_BEFORE_CODE("r") },
		{ "a broken exponent", BROKEN("\"x\":1e1.5"), CUT_BEFORE_CODE("r") },
		{ "a hexadecimal number", BROKEN("\"x\":0x1"), CUT_BEFORE_CODE("r") },
		{ "the language counts if it was complete", S("{\"code\":\"a\",\"language\":\"r\"!}"),
		  CUT("r", "a") },
		{ "what follows the break does not count", S("{\"code\":\"a\"!,\"language\":\"r\"} x"),
		  CUT("python", "a") },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

static void text_behind_the_object_is_noted(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "white space is none", S("{\"code\":\"a\"} \r\n\t"), IS("python", "a") },
		{ "a letter", S("{\"code\":\"a\"} x"), TRAILING("python", "a") },
		{ "directly", S("{\"code\":\"a\"}}"), TRAILING("python", "a") },
		{ "another object changes nothing",
		  S("{\"code\":\"a\"}\n{\"code\":\"b\",\"language\":\"r\"}"), TRAILING("python", "a") },
		{ "behind an empty object", S("{},"), "python", S(""), ARGS_TRAILING | ARGS_NO_CODE },
		{ "a NUL is text", S("{\"code\":\"a\"}\0"), TRAILING("python", "a") },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

static void what_is_no_object_is_kept_as_it_stands(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct args_case cases[] = {
		{ "bare code", S("print(1)"), KEPT },
		{ "white space in front belongs to it", S(" \n\tprint(1) \n"), KEPT },
		{ "an array", S("[{\"code\":\"a\"}]"), KEPT },
		{ "a string", S("\"{\\\"code\\\":\\\"a\\\"}\""), KEPT },
		{ "null", S("null"), KEPT },
		{ "a byte order mark", S("\xEF\xBB\xBF{\"code\":\"a\"}"), KEPT },
		{ "a form feed is no white space", S("\f{\"code\":\"a\"}"), KEPT },
		{ "a NUL", S("\0{}"), KEPT },
		{ "nothing in it is decoded", S("x\\n\\u0041{\"\xED\xA0\xBD" SMILE), KEPT },
	};
	/* clang-format on */

	check_cases(cases, ARRAY_LEN(cases));
}

/* --- promptness --- */

static void code_is_given_as_it_arrives(void **state)
{
	(void)state;
#define LINES "print(1)\n\tx = \"y\"\n"
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
		{ "so is one with escapes in it", S("\\n\\tx = \\\"y\\\"\\n"), true, LINES, 3 },
		{ "half an escape gives nothing", S("\\"), true, LINES, 3 },
		{ "what comes with half an escape is given", S("nz\\u00"), true, LINES "\nz", 4 },
		{ "the end of the string", S("41\""), true, LINES "\nzA", 5 },
		{ "the end of the object gives no more", S("}"), true, LINES "\nzA", 5 },
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
			fail_msg("step: %s", steps[i].why);
	}
	assert_int_equal(s.closed, 0);
	assert_true(args_end(a, &s.flaws));
	assert_int_equal(s.closed, 1);
	args_destroy(a);
	seen_finish(&s);
#undef LINES
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
			if (run(all, step, step, 64, &s) != cases[i].ok)
				fail_msg("case: %s", cases[i].why);
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
		if (s.flaws != (cases[i].ok ? 0u : (unsigned)(ARGS_ENDED_EARLY | ARGS_NO_CODE)))
			fail_msg("case: %s", cases[i].why);
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
		if (large > 30 * (small > 0.005 ? small : 0.005))
			fail_msg("case: %s: %.4f s, then %.4f s", cases[i].why, small, large);
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
		cmocka_unit_test(code_is_given_as_it_arrives),
		cmocka_unit_test(nothing_waits_longer_than_it_must),
		cmocka_unit_test(only_what_must_be_held_back_is_limited),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(a_sink_that_says_no_hears_nothing_more),
		cmocka_unit_test(after_a_no_everything_fails),
		cmocka_unit_test(the_cost_is_linear),
	};

	return cmocka_run_group_tests_name("lmc/args", tests, NULL, NULL);
}
