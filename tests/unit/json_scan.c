/* The scanner: the public conformance suite, our own refusals, the tape, and looking things up. */
#include "base/buf.h"
#include "base/limits.h"
#include "json/scan.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SUITE         FIXTURES "/json-test-suite/test_parsing"
#define TEXT(literal) literal, sizeof(literal) - 1

static char *read_whole(const char *path, size_t *ret_len)
{
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size_t len = (size_t)ftell(f);
	rewind(f);

	/* Exactly as long as the text: a read behind it is caught by the address sanitizer. */
	char *text = malloc(len ? len : 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, len, f), len);
	fclose(f);
	*ret_len = len;
	return text;
}

/* Scans a copy without a byte to spare. */
static enum errc scan(struct json_doc *d, const char *text, size_t len,
		      const struct json_limits *limits, char **ret_copy, struct err *e)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	if (len)
		memcpy(copy, text, len);
	*ret_copy = copy;
	return json_scan(d, copy, len, limits, e);
}

/* Files whose verdict differs from their first letter, or that the suite leaves to the parser. */
static const struct {
	const char *file;
	bool        accept;
	const char *why;
} exceptions[] = {
	{ "y_object_duplicated_key.json", false, "duplicate keys are refused in requests" },
	{ "y_object_duplicated_key_and_value.json", false, "the same" },
	{ "y_object_escaped_null_in_key.json", false, "NUL cuts keys in C programs" },
	{ "i_number_double_huge_neg_exp.json", true, "well-formed; the range is the reader's" },
	{ "i_number_huge_exp.json", true, "well-formed" },
	{ "i_number_neg_int_huge_exp.json", true, "well-formed" },
	{ "i_number_pos_double_huge_exp.json", true, "well-formed" },
	{ "i_number_real_neg_overflow.json", true, "well-formed" },
	{ "i_number_real_pos_overflow.json", true, "well-formed" },
	{ "i_number_real_underflow.json", true, "well-formed" },
	{ "i_number_too_big_neg_int.json", true, "well-formed" },
	{ "i_number_too_big_pos_int.json", true, "well-formed" },
	{ "i_number_very_big_negative_int.json", true, "well-formed" },
	{ "i_object_key_lone_2nd_surrogate.json", true, "lone surrogate escape" },
	{ "i_string_1st_surrogate_but_2nd_missing.json", true, "lone surrogate escape" },
	{ "i_string_1st_valid_surrogate_2nd_invalid.json", true, "lone surrogate escape" },
	{ "i_string_incomplete_surrogate_and_escape_valid.json", true, "lone surrogate escape" },
	{ "i_string_incomplete_surrogate_pair.json", true, "lone surrogate escape" },
	{ "i_string_incomplete_surrogates_escape_valid.json", true, "lone surrogate escape" },
	{ "i_string_invalid_lonely_surrogate.json", true, "lone surrogate escape" },
	{ "i_string_invalid_surrogate.json", true, "lone surrogate escape" },
	{ "i_string_inverted_surrogates_U+1D11E.json", true, "lone surrogate escapes" },
	{ "i_string_lone_second_surrogate.json", true, "lone surrogate escape" },
	{ "i_structure_UTF-8_BOM_empty_object.json", true, "one BOM is skipped" },
	{ "i_string_UTF-16LE_with_BOM.json", false, "not UTF-8" },
	{ "i_string_UTF-8_invalid_sequence.json", false, "not UTF-8" },
	{ "i_string_UTF8_surrogate_U+D800.json", false, "not UTF-8" },
	{ "i_string_invalid_utf-8.json", false, "not UTF-8" },
	{ "i_string_iso_latin_1.json", false, "not UTF-8" },
	{ "i_string_lone_utf8_continuation_byte.json", false, "not UTF-8" },
	{ "i_string_not_in_unicode_range.json", false, "not UTF-8" },
	{ "i_string_overlong_sequence_2_bytes.json", false, "not UTF-8" },
	{ "i_string_overlong_sequence_6_bytes.json", false, "not UTF-8" },
	{ "i_string_overlong_sequence_6_bytes_null.json", false, "not UTF-8" },
	{ "i_string_truncated-utf-8.json", false, "not UTF-8" },
	{ "i_string_utf16BE_no_BOM.json", false, "not UTF-8" },
	{ "i_string_utf16LE_no_BOM.json", false, "not UTF-8" },
	{ "i_structure_500_nested_arrays.json", false, "deeper than 64" },
};

static bool wanted(const char *file)
{
	for (size_t i = 0; i < ARRAY_LEN(exceptions); i++)
		if (strcmp(exceptions[i].file, file) == 0)
			return exceptions[i].accept;
	if (file[0] == 'i')
		fail_msg("no verdict for %s", file);
	return file[0] == 'y';
}

static void the_conformance_suite_is_judged_file_by_file(void **state)
{
	(void)state;
	struct json_doc d = { 0 };
	DIR            *dir = opendir(SUITE);
	size_t          files = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (!strstr(entry->d_name, ".json"))
			continue;

		char path[512];
		snprintf(path, sizeof path, SUITE "/%s", entry->d_name);
		size_t     len;
		char      *text = read_whole(path, &len);
		struct err e = { 0 };
		enum errc  got = json_scan(&d, text, len, &json_limits_request, &e);

		if ((got == ERR_OK) != wanted(entry->d_name))
			fail_msg("%s: %s", entry->d_name, got == ERR_OK ? "accepted" : e.text);
		if (got != ERR_OK) {
			/* Behind 64 levels nobody has looked. */
			assert_int_equal(got, strstr(e.text, "nested deeper") ? ERR_INVALID_VALUE
									      : ERR_INVALID_JSON);
			assert_true(e.text[0]);
			assert_int_equal(d.count, 0);
		}
		free(text);
		files++;
	}
	closedir(dir);
	json_doc_finish(&d);
	assert_int_equal(files, 318);
}

static void duplicate_keys_pass_where_they_are_not_looked_for(void **state)
{
	(void)state;
	static const char *const files[] = { "y_object_duplicated_key.json",
					     "y_object_duplicated_key_and_value.json" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct json_doc d = { 0 };
		struct err      e;
		char            path[512];
		size_t          len;

		snprintf(path, sizeof path, SUITE "/%s", files[i]);
		char *text = read_whole(path, &len);
		assert_int_equal(json_scan(&d, text, len, &json_limits_upstream, &e), ERR_OK);
		free(text);
		json_doc_finish(&d);
	}
}

/* clang-format off */
static const struct {
	const char *why;
	const char *text;
	size_t      len;
	const char *path;
	const char *message; /* NULL: accepted */
} cases[] = {
	{ "nothing", TEXT(""), "", "the body is empty" },
	{ "blank", TEXT(" \r\n\t"), "", "the body is empty" },
	{ "only a BOM", TEXT("\xef\xbb\xbf"), "", "the body is empty" },
	{ "a BOM and a value", TEXT("\xef\xbb\xbf{}"), "", NULL },
	{ "two BOMs", TEXT("\xef\xbb\xbf\xef\xbb\xbf{}"), "", "byte 3: expected a value" },
	{ "blank before a BOM", TEXT(" \xef\xbb\xbf{}"), "", "byte 1: expected a value" },
	{ "a scalar at the top", TEXT("7"), "", NULL },
	{ "an array at the top", TEXT(" [ ] "), "", NULL },
	{ "a NUL behind", TEXT("{}\0"), "", "byte 2: expected nothing after the value" },
	{ "bytes behind", TEXT("{\"a\":1}\0zzz"), "", "byte 7: expected nothing" },
	{ "two values", TEXT("{} {}"), "", "byte 3: expected nothing" },
	{ "NaN", TEXT("{\"a\":NaN}"), "", "byte 5: expected a value" },
	{ "Infinity", TEXT("[-Infinity]"), "", "byte 2: expected a digit after '-'" },
	{ "single quotes", TEXT("{'a':1}"), "", "byte 1: expected a key" },
	{ "a number as key", TEXT("{1:1}"), "", "byte 1: expected a key" },
	{ "a comment", TEXT("{/**/}"), "", "byte 1: expected a key" },
	{ "a comma at the end", TEXT("{\"a\":1,}"), "", "byte 7: expected a key" },
	{ "no comma", TEXT("{\"a\":1 \"b\":2}"), "",
	  "byte 7: expected ',' or '}' after a member" },
	{ "no comma in an array", TEXT("[1 2]"), "",
	  "byte 3: expected ',' or ']' after an element" },
	{ "no colon", TEXT("{\"a\" 1}"), "", "byte 5: expected ':' after a key" },
	{ "the wrong bracket", TEXT("[1}"), "", "byte 2: expected ',' or ']'" },
	{ "ends in an object", TEXT("{\"a\":1"), "",
	  "byte 6: the text ends here; expected ',' or '}'" },
	{ "ends in a string", TEXT("{\"a"), "", "byte 3: the text ends here; expected '\"'" },
	{ "ends in an escape", TEXT("[\"a\\"), "", "byte 4: the text ends here" },
	{ "ends in \\u", TEXT("[\"\\u12"), "", "byte 6: the text ends here" },
	{ "ends after a colon", TEXT("{\"a\":"), "", "byte 5: the text ends here" },
	{ "ends in a word", TEXT("[tru"), "", "byte 1: expected a value" },
	{ "a word too long", TEXT("[truee]"), "", "byte 5: expected ','" },
	{ "a leading zero", TEXT("[012]"), "", "byte 1: a number must not start" },
	{ "a leading plus", TEXT("[+1]"), "", "byte 1: expected a value" },
	{ "no digit behind the point", TEXT("[1.]"), "", "byte 3: expected a digit after the" },
	{ "no digit before the point", TEXT("[.5]"), "", "byte 1: expected a value" },
	{ "an empty exponent", TEXT("[1e+]"), "", "byte 4: expected a digit in the exponent" },
	{ "a tab in a string", TEXT("[\"a\tb\"]"), "", "byte 3: a control character" },
	{ "a NUL in a string", TEXT("[\"a\0b\"]"), "", "byte 3: a control character" },
	{ "DEL in a string is fine", TEXT("[\"a\x7f\"]"), "", NULL },
	{ "an unknown escape", TEXT("[\"\\x41\"]"), "", "byte 2: an escape in a string must" },
	{ "bad hex", TEXT("[\"\\u00g0\"]"), "", "byte 6: expected four hex digits" },
	{ "overlong slash", TEXT("[\"\xc0\xaf\"]"), "", "byte 2: a string must be valid UTF-8" },
	{ "surrogate bytes", TEXT("[\"\xed\xa0\x80\"]"), "", "byte 2: a string must be valid" },
	{ "above U+10FFFF", TEXT("[\"\xf4\x90\x80\x80\"]"), "", "byte 2: a string must be" },
	{ "a cut sequence", TEXT("[\"\xe2\x82\"]"), "", "byte 2: a string must be valid UTF-8" },
	{ "a NUL escape in a value", TEXT("[\"\\u0000\"]"), "", NULL },
	{ "a NUL escape in a key", TEXT("{\"a\\u0000b\":1}"), "",
	  "byte 1: a key must not contain \\u0000" },
	{ "a duplicate at the root", TEXT("{\"model\":1,\"model\":2}"), "model",
	  "byte 11: this key is already" },
	{ "a duplicate written with an escape", TEXT("{\"model\":1,\"m\\u006fdel\":2}"), "model",
	  "byte 11: this key is already" },
	{ "a duplicate in a message",
	  TEXT("{\"messages\":[1,2,{\"role\":\"user\",\"role\":\"system\"}]}"),
	  "messages[2].role", "byte 32: this key" },
	{ "a duplicate in a content part",
	  TEXT("{\"messages\":[{\"content\":[{\"type\":\"text\",\"type\":\"x\"}]}]}"),
	  "messages[0].content[0].type", "byte 40: this key" },
	{ "the same key in two objects", TEXT("{\"a\":{\"a\":1},\"b\":{\"a\":2}}"), "", NULL },
	{ "a duplicate seven levels down",
	  TEXT("{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"b\":1,\"b\":2}}}}}}}"), "", NULL },
	{ "two lone surrogates read the same", TEXT("{\"\\ud800\":1,\"\\udfff\":2}"),
	  "\xef\xbf\xbd", "byte 12: this key" },
	{ "the empty key twice", TEXT("{\"\":1,\"\":2}"), "", "byte 6: this key" },
};
/* clang-format on */

static void each_fault_is_refused_with_its_place(void **state)
{
	(void)state;
	struct json_doc d = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		char      *copy;
		enum errc  got =
			scan(&d, cases[i].text, cases[i].len, &json_limits_request, &copy, &e);
		const char *want = cases[i].message;

		if (got != (want ? ERR_INVALID_JSON : ERR_OK))
			fail_msg("%s: %s", cases[i].why, got ? e.text : "accepted");
		if (want && strncmp(e.text, want, strlen(want)) != 0)
			fail_msg("%s: says '%s', not '%s'", cases[i].why, e.text, want);
		assert_string_equal(e.path, cases[i].path);
		free(copy);
	}
	json_doc_finish(&d);
}

static void well_formed_text_cut_anywhere_is_refused(void **state)
{
	(void)state;
	static const char text[] =
		"\xef\xbb\xbf{\"a\":[1,-2.5e+3,true,false,null],\"b\\n\\u00e9\":\"\xe2\x82\xac"
		"\xf0\x9f\x98\x80 plain text \\ud83d\\ude00\",\"c\":{}}";
	struct json_doc d = { 0 };

	for (size_t len = 0; len < sizeof text; len++) {
		struct err e;
		char      *copy;
		enum errc  got = scan(&d, text, len, &json_limits_request, &copy, &e);

		assert_int_equal(got, len == sizeof text - 1 ? ERR_OK : ERR_INVALID_JSON);
		free(copy);
	}
	json_doc_finish(&d);
}

static void limits_hold_to_the_unit(void **state)
{
	(void)state;
	static const struct json_limits small = { .depth = 3, .tokens = 6, .unique = 0 };
	static const struct {
		const char *why;
		const char *text;
		enum errc   want;
		const char *path;
	} rows[] = {
		{ "depth 3", "[[[]]]", ERR_OK, "" },
		{ "depth 4", "[[[[]]]]", ERR_INVALID_VALUE, "[0][0][0]" },
		{ "depth 4 in objects", "{\"a\":[0,{\"b\":{}}]}", ERR_INVALID_VALUE, "a[1].b" },
		{ "depth 4, and never closed", "[[[[", ERR_INVALID_VALUE, "[0][0][0]" },
		{ "6 tokens", "[1,2,3,4,5]", ERR_OK, "" },
		{ "7 tokens", "[1,2,3,4,5,6]", ERR_REQUEST_TOO_LARGE, "[5]" },
		{ "keys count", "{\"a\":1,\"b\":2,\"c\":3}", ERR_REQUEST_TOO_LARGE, "c" },
		{ "a key too many", "{\"a\":[1,2,3],\"c\":3}", ERR_REQUEST_TOO_LARGE, "" },
	};
	struct json_doc d = { 0 };
	struct err      e;

	/* Memory left over from a generous scan must not loosen the next one's limit. */
	assert_int_equal(json_scan(&d, TEXT("[1,2,3,4,5,6,7,8,9]"), &json_limits_request, &e),
			 ERR_OK);
	for (int fresh = 0; fresh < 2; fresh++)
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			e = (struct err){ 0 };
			if (json_scan(&d, rows[i].text, strlen(rows[i].text), &small, &e) !=
			    rows[i].want)
				fail_msg("%s, %d: %s", rows[i].why, fresh, e.text);
			if (strcmp(e.path, rows[i].path) != 0)
				fail_msg("%s, %d: at '%s'", rows[i].why, fresh, e.path);
			if (fresh)
				json_doc_finish(&d);
		}
	json_doc_finish(&d);
}

/* What holds the text bounds its strings: no second limit makes valid JSON wrong. */
static void a_string_may_be_as_long_as_its_text(void **state)
{
	(void)state;
	static const struct json_limits *const limits[] = {
		&json_limits_request,
		&json_limits_upstream,
		&json_limits_stored,
	};
	enum { LONG = 20 * MIB };
	struct json_doc d = { 0 };
	struct err      e;
	char           *text = malloc(LONG + 2);

	assert_non_null(text);
	memset(text, 'a', LONG + 2);
	text[0] = text[LONG + 1] = '"';
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		assert_int_equal(json_scan(&d, text, LONG + 2, limits[i], &e), ERR_OK);
		assert_int_equal(json_inner(&d, 0).n, LONG);
	}
	free(text);
	json_doc_finish(&d);
}

static void no_limit_lifts_the_cap_on_depth(void **state)
{
	(void)state;
	const struct json_limits loose = { .depth = UINT32_MAX, .tokens = UINT32_MAX };
	struct json_doc          d = { 0 };
	struct err               e;
	char                     text[2 * 129];

	memset(text, '[', 128);
	memset(text + 128, ']', 128);
	assert_int_equal(json_scan(&d, text, 256, &loose, &e), ERR_OK);
	memset(text, '[', 129);
	memset(text + 129, ']', 129);
	assert_int_equal(json_scan(&d, text, 258, &loose, &e), ERR_INVALID_VALUE);
	json_doc_finish(&d);
}

static void a_key_may_have_256_bytes_of_value(void **state)
{
	(void)state;
	struct json_doc d = { 0 };
	struct buf      b;
	struct err      e;

	for (int escaped = 0; escaped < 2; escaped++)
		for (int n = 255; n < 258; n++) {
			buf_init(&b, 4 * KIB);
			assert_true(buf_text(&b, "{\"a\":[{\"b\":1,\""));
			for (int i = 0; i < n; i++)
				assert_true(buf_text(&b, escaped ? "\\u0041" : "A"));
			assert_true(buf_text(&b, "\":1}]}"));
			assert_int_equal(json_scan(&d, b.data, b.len, &json_limits_request, &e),
					 n <= LIMIT_JSON_KEY ? ERR_OK : ERR_INVALID_VALUE);
			if (n > LIMIT_JSON_KEY)
				assert_string_equal(e.path, "a[0]");
			buf_finish(&b);
		}
	json_doc_finish(&d);
}

/* n keys, and with `twin` one of them twice, at the end and written with an escape. */
static enum errc scan_many_keys(int n, bool twin)
{
	struct json_doc d = { 0 };
	struct buf      b;
	struct err      e;

	buf_init(&b, 16 * MIB);
	assert_true(buf_text(&b, "{"));
	for (int i = 0; i < n; i++)
		assert_true(buf_fmt(&b, "%s\"key-%d\":{\"a\":1}", i ? "," : "", i));
	if (twin)
		assert_true(buf_fmt(&b, ",\"k\\u0065y-%d\":2", n / 2));
	assert_true(buf_text(&b, "}"));

	enum errc got = json_scan(&d, b.data, b.len, &json_limits_request, &e);
	buf_finish(&b);
	json_doc_finish(&d);
	return got;
}

static void duplicates_are_found_in_objects_of_any_size(void **state)
{
	(void)state;
	static const int sizes[] = { 1, 2, 15, 16, 17, 31, 32, 33, 100, 1000, 100000 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		assert_int_equal(scan_many_keys(sizes[i], false), ERR_OK);
		assert_int_equal(scan_many_keys(sizes[i], true), ERR_INVALID_JSON);
	}
}

static void a_path_that_is_too_long_is_cut_between_parts(void **state)
{
	(void)state;
	struct json_doc d = { 0 };
	struct err      e;
	struct buf      b;

	buf_init(&b, 4 * KIB);
	assert_true(buf_text(&b, "{\"first\":{\""));
	for (int i = 0; i < 80; i++)
		assert_true(buf_text(&b, "\xc3\xa9"));
	assert_true(buf_text(&b, "\":{\"x\":1,\"x\":2}}}"));
	assert_int_equal(json_scan(&d, b.data, b.len, &json_limits_request, &e), ERR_INVALID_JSON);
	assert_string_equal(e.path, "first");
	buf_finish(&b);
	json_doc_finish(&d);
}

static void the_tape_has_every_span(void **state)
{
	(void)state;
	static const char text[] = " {\"a\" : [1, \"x\\n\", {}], \"b\":-1.5} ";
	static const struct {
		const char    *raw;
		enum json_kind kind;
		uint32_t       next;
		uint32_t       count;
		unsigned       flags;
	} want[] = {
		{ "{\"a\" : [1, \"x\\n\", {}], \"b\":-1.5}", JSON_OBJECT, 8, 2, 0 },
		{ "\"a\"", JSON_STRING, 2, 0, 0 },
		{ "[1, \"x\\n\", {}]", JSON_ARRAY, 6, 3, 0 },
		{ "1", JSON_NUMBER, 4, 0, JSON_INTEGER },
		{ "\"x\\n\"", JSON_STRING, 5, 0, JSON_ESCAPED },
		{ "{}", JSON_OBJECT, 6, 0, 0 },
		{ "\"b\"", JSON_STRING, 7, 0, 0 },
		{ "-1.5", JSON_NUMBER, 8, 0, 0 },
	};
	struct json_doc d = { 0 };
	struct err      e;

	assert_int_equal(json_scan(&d, TEXT(text), &json_limits_request, &e), ERR_OK);
	assert_int_equal(d.count, ARRAY_LEN(want));
	for (uint32_t i = 0; i < d.count; i++) {
		assert_true(str_is(json_raw(&d, i), want[i].raw));
		assert_int_equal(json_kind(&d, i), want[i].kind);
		assert_int_equal(d.tok[i].next, want[i].next);
		assert_int_equal(d.tok[i].count, want[i].count);
		assert_int_equal(d.tok[i].flags, want[i].flags);
	}

	json_at array = json_get(&d, 0, "a");
	size_t  seen = 0;
	JSON_EACH (i, &d, array)
		seen++;
	assert_int_equal(seen, 3);
	seen = 0;
	JSON_EACH_MEMBER (i, &d, 0)
		seen++;
	assert_int_equal(seen, 2);
	json_doc_finish(&d);
}

static void members_are_found_by_value(void **state)
{
	(void)state;
	static const char text[] = "{\"pl\\u0061in\":1,\"null\":null,\"b\":\"v\\/w\",\"c\":[]}";
	struct json_doc   d = { 0 };
	struct err        e;

	assert_int_equal(json_get(&d, 0, "a"), JSON_ABSENT);
	assert_int_equal(json_scan(&d, TEXT(text), &json_limits_request, &e), ERR_OK);
	assert_int_equal(json_get(&d, 0, "plain"), 2);
	assert_int_equal(json_get(&d, 0, "plai"), JSON_ABSENT);
	assert_int_equal(json_get(&d, 0, "plainer"), JSON_ABSENT);
	assert_int_equal(json_get(&d, 0, "null"), 4);
	assert_int_equal(json_get_some(&d, 0, "null"), JSON_ABSENT);
	assert_int_equal(json_get_some(&d, 0, "absent"), JSON_ABSENT);
	assert_int_equal(json_get_some(&d, 0, "b"), 6);
	assert_int_equal(json_get(&d, json_get(&d, 0, "c"), "a"), JSON_ABSENT);
	assert_true(json_is(&d, 6, "v/w"));
	assert_false(json_is(&d, 6, "v\\/w"));
	assert_false(json_is(&d, 6, "v/"));
	assert_false(json_is(&d, 2, "1"));
	json_doc_finish(&d);
}

static void a_value_is_found_by_its_span(void **state)
{
	(void)state;
	static const char text[] = "[{\"a\":[1,[2],\"3\"]},{},\"x\"]";
	struct json_doc   d = { 0 };
	struct err        e;
	char             *copy;

	assert_int_equal(scan(&d, TEXT(text), &json_limits_request, &copy, &e), ERR_OK);
	for (json_at i = 1; i < d.count; i++) {
		struct str raw = json_raw(&d, i);

		assert_int_equal(json_spanned(&d, raw), i);
		raw.n--;
		assert_int_equal(json_spanned(&d, raw), JSON_ABSENT);
	}
	assert_int_equal(json_spanned(&d, json_raw(&d, 0)), JSON_ABSENT);
	assert_int_equal(json_spanned(&d, (struct str){ copy + d.len, 1 }), JSON_ABSENT);
	assert_int_equal(json_spanned(&d, STR("x")), JSON_ABSENT);
	json_doc_finish(&d);
	free(copy);
	assert_int_equal(json_spanned(&d, STR("x")), JSON_ABSENT);
}

static void numbers_are_read_within_their_range(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool        is_int;
		int64_t     v;
		bool        is_number;
		double      number;
	} rows[] = {
		{ "0", true, 0, true, 0 },
		{ "-0", true, 0, true, -0.0 },
		{ "9223372036854775807", true, INT64_MAX, true, 9223372036854775807.0 },
		{ "9223372036854775808", false, 0, true, 9223372036854775808.0 },
		{ "-9223372036854775808", true, INT64_MIN, true, -9223372036854775808.0 },
		{ "-9223372036854775809", false, 0, true, -9223372036854775809.0 },
		{ "99999999999999999999999", false, 0, true, 99999999999999999999999.0 },
		{ "1.0", false, 0, true, 1 },
		{ "1e2", false, 0, true, 100 },
		{ "-2.5e-1", false, 0, true, -0.25 },
		{ "1e400", false, 0, false, 0 },
		{ "\"1\"", false, 0, false, 0 },
		{ "true", false, 0, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json_doc d = { 0 };
		struct err      e;
		char           *copy;
		int64_t         v = 77;
		double          number = 77;

		assert_int_equal(scan(&d, rows[i].text, strlen(rows[i].text), &json_limits_request,
				      &copy, &e),
				 ERR_OK);
		assert_int_equal(json_int(&d, 0, &v), rows[i].is_int);
		assert_int_equal(v, rows[i].is_int ? rows[i].v : 77);
		assert_int_equal(json_number(&d, 0, &number), rows[i].is_number);
		assert_true(!(number < rows[i].number) || !rows[i].is_number);
		assert_true(!(number > rows[i].number) || !rows[i].is_number);
		free(copy);
		json_doc_finish(&d);
	}
}

static void a_number_of_absurd_length_is_no_number(void **state)
{
	(void)state;
	struct json_doc d = { 0 };
	struct err      e;
	char            text[600];
	double          v = 77;

	memset(text, '1', sizeof text);
	assert_int_equal(json_scan(&d, text, sizeof text, &json_limits_request, &e), ERR_OK);
	assert_false(json_number(&d, 0, &v));
	json_doc_finish(&d);
}

static void strings_are_unescaped_into_their_value(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *text;
		const char *want;
		size_t      len;
	} rows[] = {
		{ "\"\"", TEXT("") },
		{ "\"plain \xe2\x82\xac\"", TEXT("plain \xe2\x82\xac") },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", TEXT("\"\\/\b\f\n\r\t") },
		{ "\"a\\u0041b\"", TEXT("aAb") },
		{ "\"\\u00e9\\u20AC\"", TEXT("\xc3\xa9\xe2\x82\xac") },
		{ "\"\\ud83d\\ude00!\"", TEXT("\xf0\x9f\x98\x80!") },
		{ "\"\\ud83d\"", TEXT("\xef\xbf\xbd") },
		{ "\"\\ud83dx\"", TEXT("\xef\xbf\xbdx") },
		{ "\"\\ud83d\\n\"", TEXT("\xef\xbf\xbd\n") },
		{ "\"\\ud83d\\u0041\"", TEXT("\xef\xbf\xbd" "A") },
		{ "\"\\ud83d\\ud83d\\ude00\"", TEXT("\xef\xbf\xbd\xf0\x9f\x98\x80") },
		{ "\"\\ude00\\ud83d\"", TEXT("\xef\xbf\xbd\xef\xbf\xbd") },
		{ "\"a\\u0000b\"", TEXT("a\0b") },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json_doc d = { 0 };
		struct arena    a;
		struct buf      b;
		struct err      e;
		struct str      got;
		char           *copy;

		arena_init(&a, KIB);
		buf_init(&b, KIB);
		assert_int_equal(scan(&d, rows[i].text, strlen(rows[i].text), &json_limits_request,
				      &copy, &e),
				 ERR_OK);
		assert_true(json_text(&d, 0, &a, &got));
		assert_int_equal(got.n, rows[i].len);
		assert_memory_equal(got.p, rows[i].want, got.n);
		assert_true(json_unescape(json_inner(&d, 0), &b));
		assert_true(str_eq(buf_view(&b), got));
		arena_finish(&a);
		buf_finish(&b);
		json_doc_finish(&d);
		free(copy);
	}
}

static void a_full_arena_or_buffer_is_told(void **state)
{
	(void)state;
	struct json_doc d = { 0 };
	struct arena    a;
	struct buf      b;
	struct err      e;
	struct str      got = STR("untouched");

	assert_int_equal(json_scan(&d, TEXT("\"0123456789abcdef\\n\""), &json_limits_request, &e),
			 ERR_OK);
	arena_init(&a, 16);
	buf_init(&b, 16);
	assert_false(json_text(&d, 0, &a, &got));
	assert_true(str_is(got, "untouched"));
	assert_false(json_unescape(json_inner(&d, 0), &b));
	assert_int_equal(b.len, 0);
	arena_finish(&a);
	buf_finish(&b);

	assert_int_equal(json_scan(&d, TEXT("[7]"), &json_limits_request, &e), ERR_OK);
	assert_false(json_text(&d, 1, &a, &got));
	json_doc_finish(&d);
}

/* The definition, by the code point: shortest form, no surrogates, at most U+10FFFF. */
static bool plain_utf8(const unsigned char *p, size_t n)
{
	while (n > 0) {
		size_t                need = *p < 0x80   ? 1
					     : *p < 0xc0 ? 0
					     : *p < 0xe0 ? 2
					     : *p < 0xf0 ? 3
					     : *p < 0xf8 ? 4
							 : 0;
		static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };

		if (need == 0 || need > n)
			return false;
		unsigned v = need == 1 ? *p : *p & (0x7fu >> need);
		for (size_t i = 1; i < need; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return false;
			v = v << 6 | (p[i] & 0x3f);
		}
		if (v < least[need] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
			return false;
		p += need;
		n -= need;
	}
	return true;
}

static void utf8_is_valid_as_the_standard_defines_it(void **state)
{
	(void)state;
	/* All pairs of first bytes, and behind them the edges of the ranges. */
	static const unsigned char edges[] = { 0x00, 0x7f, 0x80, 0x8f, 0x90,
					       0x9f, 0xa0, 0xbf, 0xc0, 0xff };

	for (unsigned a = 0; a < 256; a++)
		for (unsigned b = 0; b < 256; b++)
			for (size_t c = 0; c < ARRAY_LEN(edges); c++)
				for (size_t k = 0; k < ARRAY_LEN(edges); k++) {
					unsigned char t[4] = { (unsigned char)a, (unsigned char)b,
							       edges[c], edges[k] };

					for (size_t n = 1; n <= 4; n++)
						if (utf8_valid((char *)t, n) != plain_utf8(t, n))
							fail_msg("%02x %02x %02x %02x, %zu bytes",
								 t[0], t[1], t[2], t[3], n);
				}
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid(TEXT("0123456789 and on \xe2\x82\xac 0123456789")));
	assert_false(utf8_valid(TEXT("0123456789 and on \xe2\x82 0123456789")));
}

/* Every byte at every place in a string beside the eight-byte steps of the fast path. */
static void a_byte_is_judged_alike_at_every_offset(void **state)
{
	(void)state;
	struct json_doc d = { 0 };

	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 1; at < 24; at++) {
			char       text[26];
			char      *copy;
			struct err e;

			memset(text, 'x', sizeof text);
			text[0] = text[25] = '"';
			text[at] = (char)c;
			bool      fine = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
			enum errc got =
				scan(&d, text, sizeof text, &json_limits_request, &copy, &e);
			assert_int_equal(got == ERR_OK, fine);
			free(copy);
		}
	json_doc_finish(&d);
}

/* Folded, an array of numbers is one token that tells how many there are; all else stays. */
static void numbers_fold_into_their_array(void **state)
{
	static const char text[] =
		"{\"a\":[1,-2.5e3,0],\"n\":7,\"b\":[[],[1,\"x\",2],{\"k\":[3]}]}";
	static const char *const faults[] = { "[1,]", "[01]", "[1 2]", "[1.]", "[-]", "[1,2" };
	struct json_doc          d = { 0 };
	struct err               e;

	(void)state;
	assert_int_equal(json_scan(&d, text, strlen(text), &json_limits_vectors, &e), ERR_OK);
	json_at a = json_get(&d, 0, "a");
	assert_int_equal(d.tok[a].count, 3);
	assert_int_equal(json_first(&d, a), json_end(&d, a));
	assert_true(str_is(json_raw(&d, a), "[1,-2.5e3,0]"));
	assert_true(str_is(json_raw(&d, json_get(&d, 0, "n")), "7"));
	json_at b = json_get(&d, 0, "b");
	assert_int_equal(d.tok[b].count, 3);
	json_at mixed = json_next(&d, json_first(&d, b));
	assert_int_equal(d.tok[mixed].count, 3);
	assert_true(json_is(&d, json_first(&d, mixed), "x"));
	assert_int_equal(json_next(&d, json_first(&d, mixed)), json_end(&d, mixed));
	assert_int_equal(d.tok[json_get(&d, json_next(&d, mixed), "k")].count, 1);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		assert_int_equal(
			json_scan(&d, faults[i], strlen(faults[i]), &json_limits_vectors, &e),
			ERR_INVALID_JSON);
	json_doc_finish(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_conformance_suite_is_judged_file_by_file),
		cmocka_unit_test(duplicate_keys_pass_where_they_are_not_looked_for),
		cmocka_unit_test(each_fault_is_refused_with_its_place),
		cmocka_unit_test(well_formed_text_cut_anywhere_is_refused),
		cmocka_unit_test(limits_hold_to_the_unit),
		cmocka_unit_test(a_string_may_be_as_long_as_its_text),
		cmocka_unit_test(no_limit_lifts_the_cap_on_depth),
		cmocka_unit_test(a_key_may_have_256_bytes_of_value),
		cmocka_unit_test(duplicates_are_found_in_objects_of_any_size),
		cmocka_unit_test(a_path_that_is_too_long_is_cut_between_parts),
		cmocka_unit_test(the_tape_has_every_span),
		cmocka_unit_test(members_are_found_by_value),
		cmocka_unit_test(a_value_is_found_by_its_span),
		cmocka_unit_test(numbers_are_read_within_their_range),
		cmocka_unit_test(a_number_of_absurd_length_is_no_number),
		cmocka_unit_test(strings_are_unescaped_into_their_value),
		cmocka_unit_test(a_full_arena_or_buffer_is_told),
		cmocka_unit_test(utf8_is_valid_as_the_standard_defines_it),
		cmocka_unit_test(a_byte_is_judged_alike_at_every_offset),
		cmocka_unit_test(numbers_fold_into_their_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
