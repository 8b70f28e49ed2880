/* Vectors as numbers and as base64: nothing is lost on either way. */
#include "provider/vector.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 20000, NUMBER_TEXT = 160, FORMS = 4 };

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static float any_float(void)
{
	for (;;) {
		uint32_t bits = (uint32_t)next_random();
		float    v;

		memcpy(&v, &bits, sizeof v);
		if (isfinite(v))
			return v;
	}
}

/* encoded: an array's base64, the array in memory of its own length. */
static enum vector encoded(struct str numbers, struct buf *out)
{
	char *own = malloc(numbers.n);

	assert_non_null(own);
	memcpy(own, numbers.p, numbers.n);
	enum vector rc = vector_encode((struct str){ own, numbers.n }, out);
	free(own);
	return rc;
}

static void known_vectors(void **state)
{
	/* clang-format off */
	static const struct {
		const char *numbers, *base64;
	} rows[] = {
		{ "[1]", "AACAPw==" },
		{ "[0,-0.0]", "AAAAAAAAAIA=" },
		{ "[ 0.1 ,\n-0.25,3]", "zczMPQAAgL4AAEBA" },
		{ "[1e0,10E-1,0.1e+1,100e-2]", "AACAPwAAgD8AAIA/AACAPw==" },
		{ "[1e-400,0.0000000000000000000000000000000000000000000000000000001]", "AAAAAAAAAAA=" },
		{ "[340282346638528859811704183484516925440]", "//9/fw==" },
		{ "[-0.006929283495992422,12345678901234567890123]", "Cw/ju65QJ2Q=" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		buf_init(&out, 1024);
		assert_int_equal(encoded(str_of(rows[i].numbers), &out), VECTOR_OK);
		if (!str_is(buf_view(&out), rows[i].base64))
			fail_msg("%s: %.*s", rows[i].numbers, STR_ARG(buf_view(&out)));
		assert_true(vector_is_base64(buf_view(&out)));
		buf_finish(&out);
	}
}

static void what_is_finite_is_found_without_reading_it(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		bool        finite;
	} cases[] = {
		{ "[]", true }, { "[1]", true }, { "[-0.5e-999 , 1E-1]", true }, { "[1e38]", true },
		{ "[1e39]", false }, { "[0,-1E+400]", false }, { "[1e400,0]", false },
		{ "[99999999999999999999999999999999999999]", true },
		{ "[999999999999999999999999999999999999999]", false },
		{ "[0.5e39,1]", false }, { "[0e999]", true }, { "[3.5e38]", false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(vector_is_finite(str_of(cases[i].text)), cases[i].finite);
}

static void what_is_no_float32_is_told(void **state)
{
	static const char *const numbers[] = { "[1,1e39]", "[-1e400]", "[1e99999999999999999999]" };
	static const char *const base64[] = { "AACAfw==", "AADAfwAAgD8=" }; /* infinity, NaN */
	static const char *const none[] = { "",         "AACAPw",   "AACAP===", "AACAPwA=",
					    "AACA*w==", "AACAPx==", "AAAA",     "AACAPw==\n",
					    "=",        "==" };
	struct buf               out;

	(void)state;
	buf_init(&out, 1024);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		assert_int_equal(encoded(str_of(numbers[i]), &out), VECTOR_BAD);
	for (size_t i = 0; i < ARRAY_LEN(base64); i++) {
		assert_true(vector_is_base64(str_of(base64[i])));
		assert_int_equal(vector_decode(str_of(base64[i]), &out), VECTOR_BAD);
	}
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_false(vector_is_base64(str_of(none[i])));
	buf_finish(&out);
}

static void a_full_buffer_is_told(void **state)
{
	static const float v[] = { 1, 2, 3, 4 };

	(void)state;
	for (size_t max = 0; max < 20; max++) {
		struct buf out;

		buf_init(&out, max);
		assert_int_equal(vector_put(v, 4, true, &out), VECTOR_FULL);
		buf_finish(&out);
		buf_init(&out, max);
		assert_int_equal(encoded(STR("[1,2,3,4]"), &out), VECTOR_FULL);
		buf_finish(&out);
		buf_init(&out, max);
		assert_int_equal(vector_decode(STR("AACAPwAAAEAAAEBAAACAQA=="), &out),
				 max < 9 ? VECTOR_FULL : VECTOR_OK);
		buf_finish(&out);
	}
}

/* Text of many lengths, as servers print float32, double, and too much of it. */
static void print(size_t form, double v, char ret[NUMBER_TEXT])
{
	switch (form) {
	case 0: snprintf(ret, NUMBER_TEXT, "%.9g", v); break;
	case 1: snprintf(ret, NUMBER_TEXT, "%.17g", v); break;
	case 2: snprintf(ret, NUMBER_TEXT, "%.25e", v); break;
	default: snprintf(ret, NUMBER_TEXT, "%.60f", v); break;
	}
}

static void any_float_survives(void **state)
{
	static float v[MANY];

	(void)state;
	for (size_t k = 0; k < FORMS; k++) {
		struct buf numbers, base64, direct, again;

		buf_init(&numbers, (size_t)200 * MANY);
		buf_init(&base64, (size_t)32 * MANY);
		buf_init(&direct, (size_t)8 * MANY);
		buf_init(&again, (size_t)32 * MANY);
		for (size_t i = 0; i < MANY; i++) {
			char text[NUMBER_TEXT];

			v[i] = any_float();
			if (i % 2)
				v[i] = (float)((double)next_random() / 0x1p64 - 0.5);
			/* What is cut off behind the point would not lead back. */
			if (k == 3 && fabsf(v[i]) < 1e-30f)
				v[i] = 0;
			print(k, (double)v[i], text);
			assert_true(buf_text(&numbers, i ? "," : "[") && buf_text(&numbers, text));
		}
		assert_true(buf_text(&numbers, "]"));
		assert_int_equal(encoded(buf_view(&numbers), &base64), VECTOR_OK);

		assert_int_equal(vector_put(v, MANY, true, &direct), VECTOR_OK);
		assert_int_equal(direct.len, base64.len + 2);
		assert_memory_equal(direct.data + 1, base64.data, base64.len);
		/* And back: to numbers that are the same floats. */
		assert_int_equal(vector_decode(buf_view(&base64), &again), VECTOR_OK);
		buf_clear(&base64);
		assert_int_equal(encoded(buf_view(&again), &base64), VECTOR_OK);
		assert_memory_equal(direct.data + 1, base64.data, base64.len);
		buf_clear(&base64);
		assert_int_equal(vector_put(v, MANY, false, &base64), VECTOR_OK);
		assert_int_equal(base64.len, again.len);
		assert_memory_equal(base64.data, again.data, again.len);
		buf_finish(&numbers);
		buf_finish(&base64);
		buf_finish(&direct);
		buf_finish(&again);
	}
}

/* What is printed without printf is what printf says, but for the ninth digit. */
static void numbers_are_printed_as_they_are_written(void **state)
{
	/* clang-format off */
	static const struct {
		float       v;
		const char *text;
	} rows[] = {
		{ 0, "0" },            { -0.0f, "-0" },          { 1, "1" },
		{ -10, "-10" },        { 120, "120" },           { 0.5f, "0.5" },
		{ -0.25f, "-0.25" },   { 0.1f, "0.100000001" },  { 9.5f, "9.5" },
		{ 99999992, "99999992" }, { 1e8f, "100000000" }, { 0.001f, "0.00100000005" },
		{ 0.0625f, "0.0625" }, { 1e-5f, "9.99999975e-06" }, { 1.5e-5f, "0.0000149999996" },
		{ 3e-6f, "3.00000011e-06" }, { 123456.789f, "123456.789" }, { 1.00000012f, "1.00000012" },
		{ 0.99999994f, "0.99999994" }, { 12345678, "12345678" }, { 1e30f, "1.00000002e+30" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;
		struct str inner;

		buf_init(&out, 64);
		assert_int_equal(vector_put(&rows[i].v, 1, false, &out), VECTOR_OK);
		inner = (struct str){ out.data + 1, out.len - 2 };
		if (!str_is(inner, rows[i].text))
			fail_msg("%s: %.*s", rows[i].text, STR_ARG(inner));
		buf_finish(&out);
	}
}

/* Floats of every size, beside each power of ten too, lead back to themselves. */
static void numbers_of_all_sizes_lead_back(void **state)
{
	(void)state;
	for (int power = -44; power <= 38; power++)
		for (int step = -200; step <= 200; step++) {
			float      v, back;
			char       text[32];
			struct buf out;

			snprintf(text, sizeof text, "1e%d", power);
			v = strtof(text, NULL);
			for (int i = 0; i < abs(step); i++)
				v = nextafterf(v, step < 0 ? 0 : INFINITY);
			if (step % 7 == 0)
				v *= 1.0f + (float)(next_random() % 1000) / 125;
			if (!isfinite(v))
				continue;
			buf_init(&out, 64);
			assert_int_equal(vector_put(&v, 1, false, &out), VECTOR_OK);
			assert_true(buf_add(&out, "", 1));
			back = strtof(out.data + 1, NULL);
			assert_memory_equal(&back, &v, sizeof v);
			buf_finish(&out);
		}
}

/* Every length around those of groups and chunks. */
static void vectors_of_all_lengths(void **state)
{
	static const size_t lengths[] = {
		1, 2, 3, 4, 5, 6, 7, 767, 768, 769, 1535, 1536, 1537, 3072
	};
	static float v[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = (float)i;
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct buf base64, numbers, want;

		buf_init(&base64, 64 * 1024);
		buf_init(&numbers, 64 * 1024);
		buf_init(&want, 64 * 1024);
		assert_int_equal(vector_put(v, lengths[i], true, &base64), VECTOR_OK);
		struct str inner = { base64.data + 1, base64.len - 2 };
		assert_true(vector_is_base64(inner));
		assert_int_equal(vector_decode(inner, &numbers), VECTOR_OK);
		for (size_t k = 0; k < lengths[i]; k++)
			assert_true(buf_fmt(&want, "%s%zu", k ? "," : "[", k));
		assert_true(buf_text(&want, "]"));
		assert_true(str_eq(buf_view(&numbers), buf_view(&want)));
		buf_finish(&base64);
		buf_finish(&numbers);
		buf_finish(&want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(what_is_no_float32_is_told),
		cmocka_unit_test(what_is_finite_is_found_without_reading_it),
		cmocka_unit_test(a_full_buffer_is_told),
		cmocka_unit_test(any_float_survives),
		cmocka_unit_test(vectors_of_all_lengths),
		cmocka_unit_test(numbers_are_printed_as_they_are_written),
		cmocka_unit_test(numbers_of_all_sizes_lead_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
