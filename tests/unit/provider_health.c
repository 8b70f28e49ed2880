/* Breaker, cooling and dead keys, on a clock of the test's own. */
#include "provider/health.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { S = 1000000 };

static const struct health_rules rules = {
	.failures = 3,
	.window_us = 30 * S,
	.pause_us = 10 * S,
	.cooling_us = 5 * S,
	.dead_us = 60 * S,
};
static const struct health_target one = { "p", { "m", 1 }, &rules };
static const struct health_target same_entry = { "p", { "n", 1 }, &rules };
static const struct health_target other = { "q", { "m", 1 }, &rules };

static int reset(void **state)
{
	(void)state;
	health_reset();
	return 0;
}

static void assert_health(const struct health_target *t, int64_t at_s, enum health want,
			  int64_t want_wait_s)
{
	int64_t wait_us;
	bool    probe;

	assert_int_equal(health_ask(t, at_s * S, &wait_us, &probe), want);
	assert_int_equal(wait_us, want_wait_s * S);
}

static bool probes(const struct health_target *t, int64_t at_s)
{
	int64_t wait_us;
	bool    probe;

	return health_ask(t, at_s * S, &wait_us, &probe) == HEALTH_FINE && probe;
}

static void tell(const struct health_target *t, enum health_news news, bool probe, int64_t at_s)
{
	health_tell(t, news, 0, probe, at_s * S);
}

static void fail_times(const struct health_target *t, int n, int64_t at_s)
{
	while (n-- > 0)
		tell(t, HEALTH_FAILED, false, at_s);
}

static void it_opens_after_failures_in_a_row_within_the_window(void **state)
{
	(void)state;
	fail_times(&one, 2, 1);
	assert_health(&one, 1, HEALTH_FINE, 0);
	tell(&one, HEALTH_GOOD, false, 2); /* the row is broken */
	fail_times(&one, 2, 3);
	assert_health(&one, 3, HEALTH_FINE, 0);
	fail_times(&one, 1, 34); /* the first two are too long ago */
	assert_health(&one, 34, HEALTH_FINE, 0);
	tell(&one, HEALTH_NEITHER, false, 35);
	fail_times(&one, 2, 35);
	assert_health(&one, 35, HEALTH_OPEN, 10);
	assert_health(&one, 39, HEALTH_OPEN, 6);
	assert_health(&same_entry, 39, HEALTH_FINE, 0);
	assert_health(&other, 39, HEALTH_FINE, 0);
}

static void half_open_lets_one_probe_through(void **state)
{
	(void)state;
	fail_times(&one, 3, 1);
	assert_false(probes(&one, 10));
	assert_true(probes(&one, 11));
	assert_true(probes(&one, 11)); /* asking takes nothing */
	assert_true(health_probe(&one, 11 * S));
	assert_false(health_probe(&one, 11 * S));
	assert_health(&one, 12, HEALTH_OPEN, 9);
	tell(&one, HEALTH_FAILED, true, 13); /* open again, from now */
	assert_health(&one, 14, HEALTH_OPEN, 9);
	assert_true(health_probe(&one, 23 * S));
	tell(&one, HEALTH_NEITHER, true, 24); /* found nothing out: the next is one */
	assert_true(health_probe(&one, 24 * S));
	tell(&one, HEALTH_GOOD, true, 25);
	assert_health(&one, 25, HEALTH_FINE, 0);
	assert_false(probes(&one, 25));
	fail_times(&one, 2, 26); /* counted from the start */
	assert_health(&one, 26, HEALTH_FINE, 0);
}

static void a_lost_probe_is_replaced_after_a_pause(void **state)
{
	(void)state;
	fail_times(&one, 3, 1);
	assert_true(health_probe(&one, 11 * S));
	assert_false(health_probe(&one, 20 * S));
	assert_true(health_probe(&one, 21 * S));
}

static void late_failures_do_not_make_the_pause_longer(void **state)
{
	(void)state;
	fail_times(&one, 3, 1);
	fail_times(&one, 5, 8);
	assert_true(probes(&one, 11));
}

static void a_limit_cools_as_long_as_told(void **state)
{
	(void)state;
	health_tell(&one, HEALTH_LIMITED, 7 * S, false, 1 * S);
	assert_health(&one, 2, HEALTH_COOLING, 6);
	assert_health(&same_entry, 2, HEALTH_FINE, 0);
	tell(&one, HEALTH_LIMITED, false, 2); /* a shorter one changes nothing */
	assert_health(&one, 2, HEALTH_COOLING, 6);
	assert_health(&one, 8, HEALTH_FINE, 0);
	tell(&one, HEALTH_LIMITED, false, 9);
	assert_health(&one, 9, HEALTH_COOLING, 5);
	tell(&one, HEALTH_USED_UP, false, 10);
	assert_health(&one, 10, HEALTH_COOLING, 60);
	health_forgive();
	assert_health(&one, 10, HEALTH_FINE, 0);
}

static void a_refused_key_stops_its_whole_entry(void **state)
{
	(void)state;
	tell(&one, HEALTH_REFUSED, false, 1);
	assert_health(&one, 2, HEALTH_DEAD, 59);
	assert_health(&same_entry, 2, HEALTH_DEAD, 59);
	assert_health(&other, 2, HEALTH_FINE, 0);
	assert_health(&one, 61, HEALTH_FINE, 0);
	tell(&one, HEALTH_REFUSED, false, 62);
	health_forgive();
	assert_health(&one, 63, HEALTH_FINE, 0);
}

static void rules_of_zero_switch_it_off(void **state)
{
	(void)state;
	static const struct health_rules  off = { .window_us = S };
	static const struct health_target t = { "p", { "m", 1 }, &off };

	fail_times(&t, 100, 1);
	health_tell(&t, HEALTH_LIMITED, 100 * S, false, 1 * S);
	tell(&t, HEALTH_USED_UP, false, 1);
	tell(&t, HEALTH_REFUSED, false, 1);
	assert_health(&t, 1, HEALTH_FINE, 0);
}

static void states_are_counted(void **state)
{
	(void)state;
	int64_t n[HEALTH__COUNT];

	fail_times(&one, 3, 1);
	fail_times(&other, 1, 1);
	tell(&same_entry, HEALTH_LIMITED, false, 1);
	tell(&other, HEALTH_REFUSED, false, 1);
	health_count(2 * S, n);
	assert_int_equal(n[HEALTH_OPEN], 1);
	assert_int_equal(n[HEALTH_COOLING], 1);
	assert_int_equal(n[HEALTH_DEAD], 1);
	health_count(100 * (int64_t)S, n); /* an open breaker stays so until a probe went well */
	assert_int_equal(n[HEALTH_OPEN], 1);
	assert_int_equal(n[HEALTH_COOLING] + n[HEALTH_DEAD], 0);
}

static void an_entry_is_as_its_worst_target(void **state)
{
	bool probe;

	(void)state;
	assert_int_equal(health_entry("p", 0, &probe), HEALTH_FINE);
	health_tell(&same_entry, HEALTH_LIMITED, 100 * S, false, 0);
	assert_int_equal(health_entry("p", 1 * S, &probe), HEALTH_COOLING);
	fail_times(&one, 3, 1);
	assert_int_equal(health_entry("p", 2 * S, &probe), HEALTH_OPEN);
	assert_false(probe);
	assert_int_equal(health_entry("p", 12 * S, &probe), HEALTH_OPEN);
	assert_true(probe);
	tell(&same_entry, HEALTH_REFUSED, false, 12);
	assert_int_equal(health_entry("p", 13 * S, &probe), HEALTH_DEAD);
	assert_false(probe);
	assert_int_equal(health_entry("q", 13 * S, &probe), HEALTH_FINE);
}

static void what_is_remembered_is_bounded_and_the_oldest_goes(void **state)
{
	(void)state;
	char name[16];

	for (int i = 0; i <= LIMIT_HEALTH; i++) {
		int                  n = snprintf(name, sizeof name, "m%d", i);
		struct health_target t = { "p", { name, (size_t)n }, &rules };

		health_tell(&t, HEALTH_LIMITED, 3600 * (int64_t)S, false, i + 1);
	}
	assert_health(&(struct health_target){ "p", STR("m0"), &rules }, 1, HEALTH_FINE, 0);
	int64_t wait_us;
	bool    probe;
	assert_int_equal(
		health_ask(&(struct health_target){ "p", STR("m1"), &rules }, S, &wait_us, &probe),
		HEALTH_COOLING);
}

static void a_failure_that_may_be_the_request_s_counts_a_quarter(void **state)
{
	(void)state;
	for (int i = 0; i < 11; i++)
		tell(&one, HEALTH_UNSURE, false, 1);
	assert_health(&one, 1, HEALTH_FINE, 0);
	assert_int_equal(health_look("p", one.model, S).failures, 2);
	tell(&one, HEALTH_UNSURE, false, 1);
	assert_health(&one, 1, HEALTH_OPEN, 10);
	tell(&one, HEALTH_GOOD, false, 2);
	assert_health(&one, 2, HEALTH_FINE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_opens_after_failures_in_a_row_within_the_window, reset),
		cmocka_unit_test_setup(half_open_lets_one_probe_through, reset),
		cmocka_unit_test_setup(a_lost_probe_is_replaced_after_a_pause, reset),
		cmocka_unit_test_setup(late_failures_do_not_make_the_pause_longer, reset),
		cmocka_unit_test_setup(a_limit_cools_as_long_as_told, reset),
		cmocka_unit_test_setup(a_refused_key_stops_its_whole_entry, reset),
		cmocka_unit_test_setup(rules_of_zero_switch_it_off, reset),
		cmocka_unit_test_setup(states_are_counted, reset),
		cmocka_unit_test_setup(an_entry_is_as_its_worst_target, reset),
		cmocka_unit_test_setup(what_is_remembered_is_bounded_and_the_oldest_goes, reset),
		cmocka_unit_test_setup(a_failure_that_may_be_the_request_s_counts_a_quarter, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
