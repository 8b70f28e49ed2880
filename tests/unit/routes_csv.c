/* Cells of comma-separated values: what is quoted, what is made harmless, and a buffer that is full. */
#include "routes/kit/csv.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void a_cell_is_quoted_and_harmless(void **state)
{
	(void)state;
	const struct {
		struct str text, cell;
	} rows[] = {
		{ STR(""), STR("") },
		{ STR("plain text"), STR("plain text") },
		{ STR("a,b"), STR("\"a,b\"") },
		{ STR("say \"hi\""), STR("\"say \"\"hi\"\"\"") },
		{ STR("two\nlines"), STR("\"two\nlines\"") },
		{ STR("a\rb"), STR("\"a\rb\"") },
		{ STR("=1+2"), STR("'=1+2") },
		{ STR("+1"), STR("'+1") },
		{ STR("-1"), STR("'-1") },
		{ STR("@sum"), STR("'@sum") },
		{ STR("\t=1"), STR("'\t=1") },
		{ STR("\r=1"), STR("\"'\r=1\"") },
		{ STR("=\"a\",1"), STR("\"'=\"\"a\"\",1\"") },
		{ STR("1-2"), STR("1-2") },
		{ STR("\xc3\xa9t\xc3\xa9"), STR("\xc3\xa9t\xc3\xa9") },
		{ STR("\0x"), STR("'\0x") },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out, want;

		buf_init(&out, KIB);
		buf_init(&want, KIB);
		struct csv c = csv_begin(&out, "a,b");
		csv_text(&c, rows[i].text);
		csv_int(&c, -7);
		csv_row(&c);
		bool ok = c.ok && buf_text(&want, "a,b\r\n") && buf_str(&want, rows[i].cell) &&
			  buf_text(&want, ",-7\r\n");
		bool same = ok && str_eq(buf_view(&out), buf_view(&want));
		buf_finish(&out);
		buf_finish(&want);
		if (!same)
			fail_msg("row %zu", i);
	}
}

static void a_time_is_utc_with_milliseconds(void **state)
{
	(void)state;
	struct buf out;

	buf_init(&out, KIB);
	struct csv c = csv_begin(&out, "at,none,text");
	csv_time(&c, 1763683200007);
	csv_none(&c);
	csv_text(&c, STR("x"));
	csv_row(&c);
	bool same =
		c.ok && str_is(buf_view(&out), "at,none,text\r\n2025-11-21T00:00:00.007Z,,x\r\n");
	buf_finish(&out);
	assert_true(same);
}

static void a_full_buffer_is_told(void **state)
{
	(void)state;
	struct buf out;

	for (size_t room = 0; room < 24; room++) {
		buf_init(&out, room);
		struct csv c = csv_begin(&out, "a,b");
		csv_text(&c, STR("=\"long\""));
		csv_int(&c, 123456);
		csv_row(&c);
		bool told = !c.ok;
		buf_finish(&out);
		assert_true(told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_quoted_and_harmless),
		cmocka_unit_test(a_time_is_utc_with_milliseconds),
		cmocka_unit_test(a_full_buffer_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
