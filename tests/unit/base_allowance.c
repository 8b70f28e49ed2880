/* Windows and money as people write them: exact, and nothing that is not one. */
#include "base/allowance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void times_are_read_and_told(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *text;
		int64_t     us;
		const char *told;
	} rows[] = {
		{ "1s", 1000000, "1s" },      { "60s", 60000000, "1m" },
		{ "90s", 90000000, "90s" },   { "1m", 60000000, "1m" },
		{ "24h", 86400000000, "1d" }, { "30d", 2592000000000, "30d" },
		{ "36h", 129600000000, "36h" }, { "366d", 31622400000000, "366d" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;
		int64_t    us = 0;

		assert_true(allowance_read_time(str_of(rows[i].text), &us));
		assert_int_equal(us, rows[i].us);
		buf_init(&out, 64);
		assert_true(allowance_put_time(&out, us));
		assert_true(str_is(buf_view(&out), rows[i].told));
		buf_finish(&out);
	}
}

static void what_is_no_time_is_refused(void **state)
{
	(void)state;
	static const char *const rows[] = { "",     "s",           "1",    "0s",    "-1s",
					    "+1s",  " 1s",         "1 s",  "1s ",   "1w",
					    "1.5h", "01s",         "367d", "8785h", "99999999999s",
					    "1ms",  "9999999999d", "1S" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t us = 7;

		if (allowance_read_time(str_of(rows[i]), &us))
			fail_msg("'%s' was read as %lld", rows[i], (long long)us);
		assert_int_equal(us, 7);
	}
}

static void money_is_exact(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t     nano;
		const char *told;
	} rows[] = {
		{ "12.50", 12500000000, "12.50" },
		{ "12.5", 12500000000, "12.50" },
		{ "1", 1000000000, "1.00" },
		{ "0.1", 100000000, "0.10" },
		{ "0.000000001", 1, "0.000000001" },
		{ "0.1234567", 123456700, "0.1234567" },
		{ "1000000000", INT64_C(1000000000000000000), "1000000000.00" },
		{ "999999999.999999999", INT64_C(999999999999999999), "999999999.999999999" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;
		int64_t    nano = 0;

		assert_true(allowance_read_money(str_of(rows[i].text), &nano));
		assert_int_equal(nano, rows[i].nano);
		buf_init(&out, 64);
		assert_true(allowance_put_money(&out, nano));
		assert_true(str_is(buf_view(&out), rows[i].told));
		buf_finish(&out);
	}
}

static void what_is_no_money_is_refused(void **state)
{
	(void)state;
	static const char *const rows[] = { "",
					    "0",
					    "0.00",
					    "-1",
					    "+1",
					    ".5",
					    "5.",
					    "1e3",
					    "1,5",
					    "$1",
					    " 1",
					    "01",
					    "1.0000000001",
					    "1000000000.000000001",
					    "1000000001",
					    "99999999999999999999",
					    "nan",
					    "inf",
					    "0x10",
					    "1.5.0" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t nano = 7;

		if (allowance_read_money(str_of(rows[i]), &nano))
			fail_msg("'%s' was read as %lld", rows[i], (long long)nano);
		assert_int_equal(nano, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read_and_told),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(money_is_exact),
		cmocka_unit_test(what_is_no_money_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
