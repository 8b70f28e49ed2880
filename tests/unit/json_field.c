/* Field tables: what is bound, what is refused, and in which words. */
#include "base/limits.h"
#include "json/field.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct bound {
	struct str name;
	struct str note;
	int64_t    max_tokens;
	int64_t    seed;
	double     temperature;
	double     weight;
	bool       stream;
	int        mode;
	json_at    list;
	json_at    object;
	json_at    any;
};

static const char *const modes[] = { "finish", "cancel", NULL };

#define AT(m) offsetof(struct bound, m)
static const struct field rows[] = {
	{ "name", FIELD_STRING, true, 1, 8, AT(name), NULL },
	{ "note", FIELD_STRING, false, 0, 4, AT(note), NULL },
	{ "max_tokens", FIELD_INT, false, 1, 1000000, AT(max_tokens), NULL },
	{ "seed", FIELD_INT, false, 0, 0, AT(seed), NULL },
	{ "temperature", FIELD_NUMBER, false, 0, 2, AT(temperature), NULL },
	{ "weight", FIELD_NUMBER, false, 0.5, INFINITY, AT(weight), NULL },
	{ "stream", FIELD_BOOL, false, 0, 0, AT(stream), NULL },
	{ "on_disconnect", FIELD_ENUM, false, 0, 0, AT(mode), modes },
	{ "list", FIELD_ARRAY, false, 1, 2, AT(list), NULL },
	{ "object", FIELD_OBJECT, false, 0, 0, AT(object), NULL },
	{ "any", FIELD_ANY, false, 0, 0, AT(any), NULL },
};
static const struct field must_rows[] = {
	{ "input", FIELD_ANY, true, 0, 0, AT(any), NULL },
	{ "mode", FIELD_ENUM, true, 0, 0, AT(mode), modes },
};
#undef AT
static const struct field_set closed = FIELD_SET("closed", rows);
static const struct field_set open = FIELD_SET_OPEN("open", rows);
static const struct field_set must = FIELD_SET("must", must_rows);

static const struct field_moved moved[] = {
	{ "max_token", "max_tokens" }, /* though it is near to a name, too */
	{ "top_k", "object.top_k" },
	{ 0 },
};
static const struct field_moved outer_moved[] = { { "system", "input" }, { 0 } };
static const struct field_set   within = {
	  .name = "within",
	  .rows = rows,
	  .count = ARRAY_LEN(rows),
	  .moved = moved,
	  .others = "or object",
};
static const struct field_set outer = {
	.name = "outer",
	.rows = must_rows,
	.count = ARRAY_LEN(must_rows),
	.moved = outer_moved,
	.inner = &within,
	.inner_key = "list",
};

static enum errc read(const struct field_set *set, const char *text, const char *path,
		      size_t arena_bytes, struct err *e)
{
	struct json_doc d = { 0 };
	struct arena    a;
	struct bound    b = { 0 };

	arena_init(&a, arena_bytes);
	assert_int_equal(json_scan(&d, text, strlen(text), &json_limits_request, e), ERR_OK);

	enum errc got = fields_read(set, &d, 0, path, &a, &b, e);
	arena_finish(&a);
	json_doc_finish(&d);
	return got;
}

static void every_type_is_bound(void **state)
{
	(void)state;
	static const char text[] =
		"{\"name\":\"a\\nb\",\"note\":\"\",\"max_tokens\":7,\"seed\":-9223372036854775808,"
		"\"temperature\":1,\"weight\":2.5e3,\"stream\":true,"
		"\"on_disconnect\":\"c\\u0061ncel\","
		"\"list\":[1,2],\"object\":{},\"any\":null}";
	struct json_doc d = { 0 };
	struct arena    a;
	struct bound    b = { .any = 77 };
	struct err      e;

	arena_init(&a, KIB);
	assert_int_equal(json_scan(&d, text, sizeof text - 1, &json_limits_request, &e), ERR_OK);
	assert_int_equal(fields_read(&closed, &d, 0, "", &a, &b, &e), ERR_OK);
	assert_true(str_is(b.name, "a\nb"));
	assert_non_null(b.note.p);
	assert_int_equal(b.note.n, 0);
	assert_int_equal(b.max_tokens, 7);
	assert_int_equal(b.seed, INT64_MIN);
	assert_true(fabs(b.temperature - 1) < 1e-9);
	assert_true(fabs(b.weight - 2500) < 1e-9);
	assert_true(b.stream);
	assert_int_equal(b.mode, 1);
	assert_true(str_is(json_raw(&d, b.list), "[1,2]"));
	assert_true(str_is(json_raw(&d, b.object), "{}"));
	assert_int_equal(b.any, 77);
	arena_finish(&a);
	json_doc_finish(&d);
}

static void absent_and_null_members_leave_their_binding(void **state)
{
	(void)state;
	static const char text[] = "{\"name\":\"x\",\"max_tokens\":null,\"on_disconnect\":null}";
	struct json_doc   d = { 0 };
	struct arena      a;
	struct bound      b = { .max_tokens = 5, .mode = 1, .temperature = 0.5, .stream = true };
	struct err        e;

	arena_init(&a, KIB);
	assert_int_equal(json_scan(&d, text, sizeof text - 1, &json_limits_request, &e), ERR_OK);
	assert_int_equal(fields_read(&closed, &d, 0, "", &a, &b, &e), ERR_OK);
	assert_int_equal(b.max_tokens, 5);
	assert_int_equal(b.mode, 1);
	assert_true(b.stream && b.temperature > 0.4);
	arena_finish(&a);
	json_doc_finish(&d);
}

#define NAMED(member) "{\"name\":\"x\"," member "}"

/* clang-format off */
static const struct {
	const char             *why;
	const struct field_set *set;
	const char             *text;
	enum errc               want;
	const char             *path;
	const char             *message;
} cases[] = {
	{ "least", &closed, "{\"name\":\"x\"}", ERR_OK, "", "" },
	{ "an array at the root", &closed, "[]", ERR_INVALID_TYPE, "", "must be an object" },
	{ "a scalar at the root", &closed, "7", ERR_INVALID_TYPE, "", "must be an object" },
	{ "required, absent", &closed, "{}", ERR_MISSING_PARAMETER, "name",
	  "is required; must be a string of 1 to 8 bytes" },
	{ "required, null", &closed, "{\"name\":null}", ERR_MISSING_PARAMETER, "name",
	  "is required; must be a string of 1 to 8 bytes" },
	{ "any required", &must, "{\"mode\":\"finish\"}", ERR_MISSING_PARAMETER, "input",
	  "is required" },
	{ "enum required", &must, "{\"input\":1}", ERR_MISSING_PARAMETER, "mode",
	  "is required; must be one of: finish, cancel" },

	{ "a number for a string", &closed, "{\"name\":1}", ERR_INVALID_TYPE, "name",
	  "must be a string of 1 to 8 bytes" },
	{ "an empty string", &closed, "{\"name\":\"\"}", ERR_INVALID_VALUE, "name",
	  "must be a string of 1 to 8 bytes" },
	{ "a string at its limit", &closed, "{\"name\":\"12345678\"}", ERR_OK, "", "" },
	{ "a string above it", &closed, "{\"name\":\"123456789\"}", ERR_INVALID_VALUE, "name",
	  "must be a string of 1 to 8 bytes" },
	{ "escapes count as what they mean", &closed,
	  "{\"name\":\"\\u0041\\u0041\\u0041\\u0041\\u0041\\u0041\\u0041\\u0041\"}", ERR_OK, "",
	  "" },
	{ "not as characters", &closed, "{\"name\":\"\\u20ac\\u20ac\\u20ac\"}", ERR_INVALID_VALUE,
	  "name", "must be a string of 1 to 8 bytes" },
	{ "no lower bound", &closed, NAMED("\"note\":\"12345\""), ERR_INVALID_VALUE, "note",
	  "must be a string of at most 4 bytes" },
	{ "NUL in a string", &closed, "{\"name\":\"a\\u0000\"}", ERR_INVALID_VALUE, "name",
	  "must not contain the character U+0000" },

	{ "a string for an integer", &closed, NAMED("\"max_tokens\":\"5\""), ERR_INVALID_TYPE,
	  "max_tokens", "must be an integer from 1 to 1000000" },
	{ "an integer written as a fraction", &closed, NAMED("\"max_tokens\":5.0"),
	  ERR_INVALID_TYPE, "max_tokens", "must be an integer from 1 to 1000000" },
	{ "an integer with an exponent", &closed, NAMED("\"max_tokens\":1e2"), ERR_INVALID_TYPE,
	  "max_tokens", "must be an integer from 1 to 1000000" },
	{ "too small", &closed, NAMED("\"max_tokens\":0"), ERR_INVALID_VALUE, "max_tokens",
	  "must be an integer from 1 to 1000000" },
	{ "too big", &closed, NAMED("\"max_tokens\":1000001"), ERR_INVALID_VALUE, "max_tokens",
	  "must be an integer from 1 to 1000000" },
	{ "the biggest", &closed, NAMED("\"max_tokens\":1000000"), ERR_OK, "", "" },
	{ "more than 64 bits", &closed, NAMED("\"seed\":9223372036854775808"), ERR_INVALID_VALUE,
	  "seed", "must be an integer" },

	{ "a bool for a number", &closed, NAMED("\"temperature\":true"), ERR_INVALID_TYPE,
	  "temperature", "must be a number from 0 to 2" },
	{ "just too big", &closed, NAMED("\"temperature\":2.0001"), ERR_INVALID_VALUE,
	  "temperature", "must be a number from 0 to 2" },
	{ "not finite", &closed, NAMED("\"temperature\":1e999"), ERR_INVALID_VALUE, "temperature",
	  "must be a number from 0 to 2" },
	{ "only a lower bound", &closed, NAMED("\"weight\":0.25"), ERR_INVALID_VALUE, "weight",
	  "must be a number of at least 0.5" },

	{ "a number for a bool", &closed, NAMED("\"stream\":1"), ERR_INVALID_TYPE, "stream",
	  "must be true or false" },
	{ "a word that is not known", &closed, NAMED("\"on_disconnect\":\"Cancel\""),
	  ERR_INVALID_VALUE, "on_disconnect", "must be one of: finish, cancel" },
	{ "a number for a word", &closed, NAMED("\"on_disconnect\":0"), ERR_INVALID_TYPE,
	  "on_disconnect", "must be one of: finish, cancel" },
	{ "an object for an array", &closed, NAMED("\"list\":{}"), ERR_INVALID_TYPE, "list",
	  "must be an array of 1 to 2 elements" },
	{ "too few", &closed, NAMED("\"list\":[]"), ERR_INVALID_VALUE, "list",
	  "must be an array of 1 to 2 elements" },
	{ "too many", &closed, NAMED("\"list\":[[1],{\"a\":[2]},3]"), ERR_INVALID_VALUE, "list",
	  "must be an array of 1 to 2 elements" },
	{ "an array for an object", &closed, NAMED("\"object\":[]"), ERR_INVALID_TYPE, "object",
	  "must be an object" },

	{ "a letter wrong", &closed, NAMED("\"temprature\":1"), ERR_UNKNOWN_PARAMETER,
	  "temprature", "unknown member; did you mean \"temperature\"?" },
	{ "two letters swapped", &closed, NAMED("\"tsream\":true"), ERR_UNKNOWN_PARAMETER,
	  "tsream", "unknown member; did you mean \"stream\"?" },
	{ "camel case", &closed, NAMED("\"maxTokens\":1"), ERR_UNKNOWN_PARAMETER, "maxTokens",
	  "unknown member; did you mean \"max_tokens\"?" },
	{ "case", &closed, NAMED("\"SEED\":1"), ERR_UNKNOWN_PARAMETER, "SEED",
	  "unknown member; did you mean \"seed\"?" },
	{ "nothing near", &must, "{\"xyz\":1}", ERR_UNKNOWN_PARAMETER, "xyz",
	  "unknown member; known are: input, mode" },
	{ "one of another API", &within, NAMED("\"top_k\":1"), ERR_UNKNOWN_PARAMETER, "top_k",
	  "unknown member here; use object.top_k" },
	{ "before what is near", &within, NAMED("\"max_token\":1"), ERR_UNKNOWN_PARAMETER, "max_token",
	  "unknown member here; use max_tokens" },
	{ "near, and elsewhere", &within, NAMED("\"sed\":1"), ERR_UNKNOWN_PARAMETER, "sed",
	  "unknown member; did you mean \"seed\"?; or object" },
	{ "elsewhere", &within, NAMED("\"xyz\":1"), ERR_UNKNOWN_PARAMETER, "xyz",
	  "unknown member; or object" },
	{ "one of a member's members", &outer, "{\"seed\":1}", ERR_UNKNOWN_PARAMETER, "seed",
	  "unknown member here; use list.seed" },
	{ "one that has its place there", &outer, "{\"top_k\":1}", ERR_UNKNOWN_PARAMETER, "top_k",
	  "unknown member here; use list.object.top_k" },
	{ "one with another name", &outer, "{\"system\":1}", ERR_UNKNOWN_PARAMETER, "system",
	  "unknown member here; use input" },
	{ "none of these", &outer, "{\"xyz\":1}", ERR_UNKNOWN_PARAMETER, "xyz",
	  "unknown member; known are: input, mode" },
	{ "an unknown one that is null", &closed, NAMED("\"xyz\":null"), ERR_UNKNOWN_PARAMETER,
	  "xyz", NULL },
	{ "the empty key", &closed, NAMED("\"\":1"), ERR_UNKNOWN_PARAMETER, "", NULL },
	{ "unknown where that is fine", &open, NAMED("\"xyz\":[{}],\"seed\":1"), ERR_OK, "", "" },
	{ "a known one written with an escape", &closed, "{\"n\\u0061me\":7}", ERR_INVALID_TYPE,
	  "name", NULL },
};
/* clang-format on */

static void each_fault_is_named_with_what_is_allowed(void **state)
{
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		enum errc  got = read(cases[i].set, cases[i].text, "", KIB, &e);

		if (got != cases[i].want)
			fail_msg("%s: code %d, '%s'", cases[i].why, (int)got, e.text);
		if (strcmp(e.path, cases[i].path) != 0)
			fail_msg("%s: path '%s'", cases[i].why, e.path);
		if (cases[i].message && strcmp(e.text, cases[i].message) != 0)
			fail_msg("%s: says '%s'", cases[i].why, e.text);
	}
}

static void the_path_leads_to_the_member(void **state)
{
	(void)state;
	struct err e = { 0 };

	assert_int_equal(read(&closed, "{\"name\":1}", "messages[2]", KIB, &e), ERR_INVALID_TYPE);
	assert_string_equal(e.path, "messages[2].name");
	assert_int_equal(read(&closed, "{}", "config", KIB, &e), ERR_MISSING_PARAMETER);
	assert_string_equal(e.path, "config.name");
	assert_int_equal(read(&closed, "[]", "config", KIB, &e), ERR_INVALID_TYPE);
	assert_string_equal(e.path, "config");
}

static void a_long_unknown_name_is_cut_between_characters(void **state)
{
	(void)state;
	struct err e = { 0 };
	char       text[256] = "{\"x";
	size_t     n = 3;

	for (int i = 0; i < 100; i++, n += 2)
		memcpy(text + n, "\xc3\xa9", 2);
	memcpy(text + n, "\":1}", 5);
	for (size_t prefix = 0; prefix < 2; prefix++) {
		assert_int_equal(read(&closed, text, prefix ? "a" : "", KIB, &e),
				 ERR_UNKNOWN_PARAMETER);
		assert_true(strlen(e.path) >= sizeof e.path - 2);
		assert_true(utf8_valid(e.path, strlen(e.path)));
	}
}

static void a_path_of_any_length_is_no_danger(void **state)
{
	(void)state;
	struct err e = { 0 };
	char       path[400];

	memset(path, 'p', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	assert_int_equal(read(&closed, "{\"unknown\":1}", path, KIB, &e), ERR_UNKNOWN_PARAMETER);
	assert_int_equal(strlen(e.path), sizeof e.path - 1);
}

static void a_string_that_outgrows_the_arena_is_told_apart(void **state)
{
	(void)state;
	struct err e = { 0 };

	assert_int_equal(read(&closed, "{\"name\":\"\\n234567\"}", "", 4, &e),
			 ERR_REQUEST_TOO_LARGE);
	assert_string_equal(e.path, "name");
	assert_int_equal(read(&closed, "{\"name\":\"1234567\"}", "", 4, &e), ERR_OK);
	/* Too long is said before memory is asked for. */
	assert_int_equal(read(&closed, "{\"name\":\"\\n2345678901234\"}", "", 4, &e),
			 ERR_INVALID_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_bound),
		cmocka_unit_test(absent_and_null_members_leave_their_binding),
		cmocka_unit_test(each_fault_is_named_with_what_is_allowed),
		cmocka_unit_test(the_path_leads_to_the_member),
		cmocka_unit_test(a_long_unknown_name_is_cut_between_characters),
		cmocka_unit_test(a_path_of_any_length_is_no_danger),
		cmocka_unit_test(a_string_that_outgrows_the_arena_is_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
