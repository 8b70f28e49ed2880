/* Metrics in Prometheus' text formats.  Series are the process's: each test has its own family. */
#include "base/limits.h"
#include "base/metric.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LABELS(...) ((const char *const[METRIC_LABELS]){ __VA_ARGS__ })

/* printed: all families, NUL-terminated, until the next call. */
static const char *printed(bool open_metrics)
{
	static struct buf out;

	buf_finish(&out);
	buf_init(&out, 8 * MIB);
	assert_true(metric_print(&out, open_metrics));
	assert_true(buf_add(&out, "", 1));
	return out.data;
}

/* has_line: a whole line of the text. */
static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[n] == '\n')
			return true;
	return false;
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

static void a_counter_adds_up_for_each_set_of_labels(void **state)
{
	(void)state;
	metric_add(METRIC_TOKENS, LABELS("tiny", "input", ""), 3);
	metric_add(METRIC_TOKENS, LABELS("tiny", "output", ""), 5);
	metric_add(METRIC_TOKENS, LABELS("tiny", "input", ""), 4);

	const char *text = printed(false);
	assert_true(
		has_line(text, "# HELP parley_tokens_total tokens, as counted by the providers"));
	assert_true(has_line(text, "# TYPE parley_tokens_total counter"));
	assert_true(has_line(text, "parley_tokens_total{model=\"tiny\",type=\"input\"} 7"));
	assert_true(has_line(text, "parley_tokens_total{model=\"tiny\",type=\"output\"} 5"));
	assert_int_equal(count_of(text, "\nparley_tokens_total{"), 2);
	assert_null(strstr(text, "# EOF"));
}

static void a_gauge_without_labels_has_no_braces_and_goes_down(void **state)
{
	(void)state;
	metric_set(METRIC_STREAMS, 9);
	metric_set(METRIC_STREAMS, -2);

	const char *text = printed(false);
	assert_true(has_line(text, "# TYPE parley_stream_active gauge"));
	assert_true(has_line(text, "parley_stream_active -2"));
}

static void a_histogram_counts_what_is_at_or_below_each_bound_in_seconds(void **state)
{
	(void)state;
	static const int64_t observations[] = { 0, 1000, 1001, 2500000, 300000001 };

	for (size_t i = 0; i < ARRAY_LEN(observations); i++)
		metric_observe(METRIC_UPSTREAM_TIME, LABELS("up", "tiny", ""), observations[i]);

	const char *text = printed(false);
#define SERIES "parley_upstream_request_duration_seconds"
	assert_true(has_line(text, "# TYPE " SERIES " histogram"));
	assert_true(
		has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"0.001\"} 2"));
	assert_true(
		has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"0.005\"} 3"));
	assert_true(has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"1\"} 3"));
	assert_true(has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"2.5\"} 4"));
	assert_true(has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"300\"} 4"));
	assert_true(has_line(text, SERIES "_bucket{upstream=\"up\",model=\"tiny\",le=\"+Inf\"} 5"));
	assert_true(has_line(text, SERIES "_sum{upstream=\"up\",model=\"tiny\"} 302.502002"));
	assert_true(has_line(text, SERIES "_count{upstream=\"up\",model=\"tiny\"} 5"));
#undef SERIES
}

static void a_fine_histogram_begins_at_ten_microseconds(void **state)
{
	(void)state;
	metric_observe(METRIC_OVERHEAD, LABELS("chat", "", ""), 10);
	metric_observe(METRIC_OVERHEAD, LABELS("chat", "", ""), 11);

	const char *text = printed(false);
#define SERIES "parley_gateway_overhead_seconds"
	assert_true(has_line(text, "# TYPE " SERIES " histogram"));
	assert_true(has_line(text, SERIES "_bucket{route=\"chat\",le=\"1e-05\"} 1"));
	assert_true(has_line(text, SERIES "_bucket{route=\"chat\",le=\"2.5e-05\"} 2"));
	assert_true(has_line(text, SERIES "_sum{route=\"chat\"} 0.000021"));
#undef SERIES
}

static void sizes_are_counted_in_bytes(void **state)
{
	(void)state;
	metric_observe(METRIC_REQUEST_BYTES, LABELS("chat", "", ""), 128);
	metric_observe(METRIC_REQUEST_BYTES, LABELS("chat", "", ""), 1048577);

	const char *text = printed(false);
#define SERIES "parley_http_request_size_bytes"
	assert_true(has_line(text, SERIES "_bucket{route=\"chat\",le=\"128\"} 1"));
	assert_true(has_line(text, SERIES "_bucket{route=\"chat\",le=\"1048576\"} 1"));
	assert_true(has_line(text, SERIES "_bucket{route=\"chat\",le=\"4194304\"} 2"));
	assert_true(has_line(text, SERIES "_count{route=\"chat\"} 2"));
#undef SERIES
}

static void what_is_forgotten_is_not_printed(void **state)
{
	(void)state;
	metric_put(METRIC_UP, LABELS("gone", "", ""), 1);
	metric_put(METRIC_UP, LABELS("here", "", ""), 1);
	metric_forget(METRIC_UP);
	metric_put(METRIC_UP, LABELS("here", "", ""), 0);

	const char *text = printed(false);
	assert_true(has_line(text, "parley_upstream_up{upstream=\"here\"} 0"));
	assert_null(strstr(text, "gone"));
}

static void methods_that_nobody_knows_are_one_series(void **state)
{
	(void)state;
	metric_http("chat", "POST", 200, 5000);
	metric_http("chat", "BREW", 405, 10);
	metric_http("chat", "\"}\n", 405, 10);

	const char *text = printed(false);
	assert_true(has_line(text, "parley_http_requests_total{route=\"chat\","
				   "method=\"POST\",code=\"200\"} 1"));
	assert_true(has_line(text, "parley_http_requests_total{route=\"chat\","
				   "method=\"other\",code=\"405\"} 2"));
	assert_true(has_line(text, "parley_http_request_duration_seconds_count"
				   "{route=\"chat\",method=\"other\"} 2"));
}

static void openmetrics_names_counters_without_total_and_has_an_end(void **state)
{
	(void)state;
	metric_add(METRIC_RELOADS, LABELS("ok", "", ""), 1);

	const char *text = printed(true);
	assert_true(has_line(text, "# HELP parley_config_reloads reloads of the configuration"));
	assert_true(has_line(text, "# TYPE parley_config_reloads counter"));
	assert_true(has_line(text, "parley_config_reloads_total{result=\"ok\"} 1"));
	assert_null(strstr(text, "# TYPE parley_config_reloads_total"));
	assert_true(has_line(text, "# TYPE parley_http_connections gauge"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
}

static void every_family_is_told_once(void **state)
{
	(void)state;
	for (int open_metrics = 0; open_metrics < 2; open_metrics++) {
		const char *text = printed(open_metrics);

		assert_int_equal(count_of(text, "# TYPE "), METRIC__COUNT);
		assert_int_equal(count_of(text, "# HELP "), METRIC__COUNT);
	}
}

static void labels_are_escaped_as_the_format_says(void **state)
{
	(void)state;
	metric_add(METRIC_AUTH_FAILURES, LABELS("a\"b\\c\nd", "", ""), 1);
	metric_add(METRIC_AUTH_FAILURES, LABELS("caf\xc3\xa9", "", ""), 1);

	const char *text = printed(false);
	assert_true(has_line(text, "parley_auth_failures_total{reason=\"a\\\"b\\\\c\\nd\"} 1"));
	assert_true(has_line(text, "parley_auth_failures_total{reason=\"caf\xc3\xa9\"} 1"));
}

static void only_three_escapes_exist_in_labels(void **state)
{
	(void)state;
	/* A backslash before anything else is a parse error, which loses the whole page. */
	metric_add(METRIC_STREAM_ABORTS, LABELS("tab\there", "bell\x07", ""), 1);

	const char *text = printed(false);
	assert_null(strstr(text, "tab\\t"));
	assert_null(strstr(text, "\\u0007"));
}

static void long_labels_are_cut_and_still_one_series(void **state)
{
	(void)state;
	char a[128];
	char b[128];

	/* They differ only behind the cut: two lines of one name would lose the whole page. */
	memset(a, 'a', sizeof a);
	memset(b, 'a', sizeof b);
	a[100] = '\0';
	b[101] = '\0';
	metric_add(METRIC_UPSTREAM, LABELS(a, "cut", "ok"), 1);
	metric_add(METRIC_UPSTREAM, LABELS(b, "cut", "ok"), 1);
	assert_int_equal(count_of(printed(false), "model=\"cut\",outcome=\"ok\"}"), 1);
}

static void a_label_is_not_cut_within_a_character(void **state)
{
	(void)state;
	char label[101];

	for (size_t i = 0; i < sizeof label - 1; i += 2)
		memcpy(label + i, "\xc3\xa9", 2);
	label[sizeof label - 1] = '\0';
	metric_add(METRIC_UPSTREAM, LABELS(label, "utf8", "ok"), 1);
	metric_add(METRIC_UPSTREAM, LABELS("x", "utf8", label), 1); /* the cut is elsewhere */
	memmove(label + 1, label, sizeof label - 2);
	label[0] = 'x';
	label[sizeof label - 2] = '\0';
	metric_add(METRIC_UPSTREAM, LABELS(label, "utf8", "ok"), 1);
	for (const char *at = printed(false), *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		for (const char *p = at; p < end; p++)
			if ((*p & (char)0xe0) == (char)0xc0)
				assert_int_equal((unsigned char)p[1] & 0xc0, 0x80);
	}
}

static void a_family_keeps_so_many_series_and_no_more(void **state)
{
	(void)state;
	for (int i = 0; i < METRIC_SERIES + 50; i++) {
		char name[16];

		snprintf(name, sizeof name, "m%d", i);
		metric_observe(METRIC_FIRST_TOKEN, LABELS("up", name, ""), 1);
	}
	metric_observe(METRIC_FIRST_TOKEN, LABELS("up", "m1", ""), 1);

	const char *text = printed(false);
	assert_int_equal(count_of(text, "parley_upstream_time_to_first_token_seconds_count{"),
			 METRIC_SERIES);
	assert_true(has_line(text, "parley_upstream_time_to_first_token_seconds_count"
				   "{upstream=\"up\",model=\"m1\"} 2"));
}

static void a_buffer_that_is_full_is_told(void **state)
{
	(void)state;
	struct buf out;

	metric_set(METRIC_DB_QUEUE, 1);
	for (size_t max = 0; max < 4000; max += 97) {
		buf_init(&out, max);
		assert_false(metric_print(&out, true));
		buf_finish(&out);
	}
}

static void *adder(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++)
		metric_add(METRIC_EVENTS, LABELS("", "", ""), 1);
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	(void)state;
	pthread_t threads[4];

	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, adder, NULL), 0);
	printed(false);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(has_line(printed(false), "parley_sse_events_total 4000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_adds_up_for_each_set_of_labels),
		cmocka_unit_test(a_gauge_without_labels_has_no_braces_and_goes_down),
		cmocka_unit_test(a_histogram_counts_what_is_at_or_below_each_bound_in_seconds),
		cmocka_unit_test(methods_that_nobody_knows_are_one_series),
		cmocka_unit_test(a_fine_histogram_begins_at_ten_microseconds),
		cmocka_unit_test(sizes_are_counted_in_bytes),
		cmocka_unit_test(what_is_forgotten_is_not_printed),
		cmocka_unit_test(openmetrics_names_counters_without_total_and_has_an_end),
		cmocka_unit_test(every_family_is_told_once),
		cmocka_unit_test(labels_are_escaped_as_the_format_says),
		cmocka_unit_test(only_three_escapes_exist_in_labels),
		cmocka_unit_test(long_labels_are_cut_and_still_one_series),
		cmocka_unit_test(a_label_is_not_cut_within_a_character),
		cmocka_unit_test(a_family_keeps_so_many_series_and_no_more),
		cmocka_unit_test(a_buffer_that_is_full_is_told),
		cmocka_unit_test(threads_lose_nothing),
	};

	return cmocka_run_group_tests_name("base/metric", tests, NULL, NULL);
}
