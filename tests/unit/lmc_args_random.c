/* The arguments of `execute`: random texts are read as a second reader reads them, which has the whole
 * text and follows the words of each rule. */
#include "tests/unit/lmc_args_seen.h"

#include <regex.h>

#define HEX "0123456789abcdefABCDEF"

/* --- the second reader --- */

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
	return strspn(digits, HEX) == 4 ? strtol(digits, NULL, 16) : -1;
}

/* ref_is_cut: what stands at p up to the end is the beginning of such an escape (of a second half),
 * but not all of it. */
static bool ref_is_cut(const char *p, const char *end, bool second_half)
{
	static const char *const any[] = { "\\", "u", HEX, HEX, HEX, HEX };
	static const char *const second[] = { "\\", "u", "dD", "cdefCDEF", HEX, HEX };

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

/* clang-format off */
static const struct str alphabet[] = {
	S("\""), S("\""), S("\""), S("\\"), S("\\"), S("\\u"), S("u"), S("{"), S("}"), S("["),
	S("]"), S(":"), S(","), S("code"), S("language"), S("\"code\":"), S("\"language\":"),
	S("true"), S("null"), S("0"), S("1"), S("8"), S("3"), S("d"), S("D"), S("c"), S("e"),
	S("-"), S("."), S("n"), S("x"), S(" "), S("\n"), S("\t"), S("\r"), S("\0"), S("\1"),
	S(SMILE), S("\\ud83d"), S("\\uDE00"), S("\\u00e9"), S("\\n"), S("\"r\""), S("\"a"),
};
/* clang-format on */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_reading_agrees_with_some_cases),
		cmocka_unit_test(random_texts_are_read_as_the_second_reading_does),
	};

	return cmocka_run_group_tests_name("lmc/args_random", tests, NULL, NULL);
}
