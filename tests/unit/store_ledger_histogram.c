/* Histograms of durations: how near percentiles are, how counts merge, and which packed bytes are refused. */
#include "store/ledger.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SAMPLES = 2000 };

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* The bound of docs/internals/ledger.md: 6.25 %, and 64 microseconds below half a millisecond. */
static bool near(int64_t is, int64_t truth)
{
	int64_t most = truth < 512 ? 64 : truth / 16 + 1;

	return is >= truth - most && is <= truth + most;
}

static void one_duration_is_told_within_the_bound(void **state)
{
	(void)state;
	for (int64_t us = 1; us < (int64_t)3600 * 1000000; us += us / 37 + 1) {
		struct ledger_histogram h = { 0 };

		ledger_histogram_add(&h, us);
		if (!near(ledger_histogram_part(&h, 50), us))
			fail_msg("%lld is told as %lld", (long long)us,
				 (long long)ledger_histogram_part(&h, 50));
	}
}

static void percentiles_of_many_are_within_the_bound(void **state)
{
	(void)state;
	static const unsigned parts[] = { 1, 50, 95, 99, 100 };
	int64_t               all[SAMPLES];
	uint64_t              random = 88172645463325252u;

	for (int round = 0; round < 20; round++) {
		struct ledger_histogram h = { 0 };

		for (size_t i = 0; i < SAMPLES; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			/* All sizes are as likely as each other. */
			all[i] = (int64_t)(random >> 32) >> (random % 28);
			ledger_histogram_add(&h, all[i]);
		}
		qsort(all, SAMPLES, sizeof *all, by_size);
		for (size_t i = 0; i < ARRAY_LEN(parts); i++)
			assert_true(near(ledger_histogram_part(&h, parts[i]),
					 all[(SAMPLES * parts[i] + 99) / 100 - 1]));
	}
}

static void the_ends_of_the_scale_are_counted(void **state)
{
	(void)state;
	struct ledger_histogram h = { 0 };

	assert_int_equal(ledger_histogram_part(&h, 50), -1);
	ledger_histogram_add(&h, -5);
	ledger_histogram_add(&h, 0);
	assert_int_equal(h.counts[0], 2);
	ledger_histogram_add(&h, INT64_MAX);
	assert_int_equal(h.counts[LEDGER_BUCKETS - 1], 1);
	assert_true(ledger_histogram_part(&h, 100) > (int64_t)3600 * 1000000);
}

static void packed_counts_come_back_and_add_up(void **state)
{
	(void)state;
	struct ledger_histogram a = { 0 };
	struct ledger_histogram b = { 0 };
	struct ledger_histogram sum = { 0 };
	struct buf              packed;

	for (int64_t us = 1; us < 4000000000; us *= 3) {
		ledger_histogram_add(&a, us);
		ledger_histogram_add(&b, us + us / 2);
	}
	a.counts[7] = UINT32_MAX;
	b.counts[7] = 3;
	ledger_histogram_merge(&sum, &a);
	ledger_histogram_merge(&sum, &b);
	assert_int_equal(sum.counts[7], UINT32_MAX);

	struct ledger_histogram taken = { 0 };
	buf_init(&packed, LEDGER_HISTOGRAM_MOST);
	bool ok = ledger_histogram_put(&a, &packed) &&
		  ledger_histogram_take(&taken, buf_view(&packed));
	buf_clear(&packed);
	ok = ok && ledger_histogram_put(&b, &packed) &&
	     ledger_histogram_take(&taken, buf_view(&packed));
	buf_finish(&packed);
	assert_true(ok);
	assert_memory_equal(&taken, &sum, sizeof sum);
}

static void the_fullest_histogram_has_room(void **state)
{
	(void)state;
	struct ledger_histogram full;
	struct ledger_histogram taken = { 0 };
	struct buf              packed;

	for (size_t i = 0; i < LEDGER_BUCKETS; i++)
		full.counts[i] = UINT32_MAX;
	buf_init(&packed, LEDGER_HISTOGRAM_MOST);
	bool put = ledger_histogram_put(&full, &packed);
	bool taken_all = put && ledger_histogram_take(&taken, buf_view(&packed));
	buf_finish(&packed);
	assert_true(put && taken_all);
	assert_memory_equal(&taken, &full, sizeof full);

	buf_init(&packed, 20);
	bool fits = ledger_histogram_put(&full, &packed);
	buf_finish(&packed);
	assert_false(fits);
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	const struct {
		const char *why;
		struct str  packed;
		bool        fine;
	} rows[] = {
		{ "nothing", STR(""), true },
		{ "one count", STR("\x03\x05"), true },
		{ "the last bucket", STR("\xcf\x01\x01"), true },
		{ "after the last bucket", STR("\xd0\x01\x01"), false },
		{ "a place without a count", STR("\x03"), false },
		{ "a place that is cut", STR("\x83"), false },
		{ "a count that is cut", STR("\x03\x85"), false },
		{ "the largest count", STR("\x03\xff\xff\xff\xff\x0f"), true },
		{ "a larger one", STR("\x03\xff\xff\xff\xff\x1f"), false },
		{ "a number without an end", STR("\x03\xff\xff\xff\xff\xff\xff\xff"), false },
		{ "places beyond all numbers", STR("\xff\xff\xff\xff\x0f\x01"), false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct ledger_histogram h = { 0 };
		if (ledger_histogram_take(&h, rows[i].packed) != rows[i].fine)
			fail_msg("%s", rows[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_duration_is_told_within_the_bound),
		cmocka_unit_test(percentiles_of_many_are_within_the_bound),
		cmocka_unit_test(the_ends_of_the_scale_are_counted),
		cmocka_unit_test(packed_counts_come_back_and_add_up),
		cmocka_unit_test(the_fullest_histogram_has_room),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
