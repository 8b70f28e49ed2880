/* Tests of the log: what a line looks like, that nothing forges one, that a stuck stderr costs
 * nobody time. */
#include "base/clock.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* stderr goes into a pipe while a test looks at it. */
struct capture {
	int saved;
	int reader;
};

static struct capture capture_begin(void)
{
	int            ends[2];
	struct capture c;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	c.saved = dup(STDERR_FILENO);
	c.reader = ends[0];
	assert_true(c.saved >= 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[1]);
	return c;
}

static void capture_restore(struct capture *c)
{
	assert_int_equal(dup2(c->saved, STDERR_FILENO), STDERR_FILENO);
	close(c->saved);
}

/* Everything that was written, NUL-terminated, to be freed. */
static char *capture_end(struct capture *c, size_t *ret_len)
{
	size_t cap = 8 * MIB;
	char  *text = malloc(cap);
	size_t n = 0;

	assert_non_null(text);
	capture_restore(c);
	for (;;) {
		ssize_t got = read(c->reader, text + n, cap - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(c->reader);
	text[n] = '\0';
	*ret_len = n;
	return text;
}

/* One line with one string member, as written by a log that has not been started. */
static char *line_of(enum log_format format, const char *event, struct str value)
{
	struct log_line l;
	struct capture  c;
	size_t          n;

	log_start(LOG_INFO, format);
	log_stop();
	c = capture_begin();
	log_begin(&l, LOG_INFO, event);
	log_str(&l, "k", value);
	log_end(&l);
	return capture_end(&c, &n);
}

static void a_line_opens_with_ts_level_and_event(void **state)
{
	struct log_line l;
	struct capture  c = capture_begin();
	size_t          n;

	(void)state;
	log_begin(&l, LOG_WARN, "request");
	log_str(&l, "path", STR("/v1/chat"));
	log_int(&l, "status", 200);
	log_int(&l, "least", INT64_MIN);
	log_ms(&l, "took_ms", 1234567);
	log_ms(&l, "none_ms", 0);
	log_ms(&l, "small_ms", 42);
	log_ms(&l, "back_ms", -1500);
	log_bool(&l, "stream", true);
	log_bool(&l, "left", false);
	log_end(&l);
	char *text = capture_end(&c, &n);

	assert_memory_equal(text, "{\"ts\":\"20", 9);
	assert_int_equal(text[17], 'T');
	assert_int_equal(text[26], '.');
	assert_string_equal(text + 30,
			    "Z\",\"level\":\"warn\",\"event\":\"request\",\"path\":\"/v1/chat\","
			    "\"status\":200,\"least\":-9223372036854775808,"
			    "\"took_ms\":1234.567,\"none_ms\":0.000,\"small_ms\":0.042,"
			    "\"back_ms\":-1.500,\"stream\":true,\"left\":false}\n");
	free(text);
}

static void values_cannot_forge_lines(void **state)
{
	/* clang-format off */
	const struct {
		const char *why;
		struct str  value;
		const char *json;
		const char *text;
	} cases[] = {
		{ "plain", STR("abc"), "\"abc\"", "abc" },
		{ "empty", STR(""), "\"\"", "\"\"" },
		{ "space", STR("a b"), "\"a b\"", "\"a b\"" },
		{ "looks like a member", STR("x=1"), "\"x=1\"", "\"x=1\"" },
		{ "newline", STR("a\nb"), "\"a\\nb\"", "\"a\\nb\"" },
		{ "quote and backslash", STR("\"\\"), "\"\\\"\\\\\"", "\"\\\"\\\\\"" },
		{ "NUL inside", STR("a\0b"), "\"a\\u0000b\"", "\"a\\u0000b\"" },
		{ "escape sequence", STR("\x1b[2J"), "\"\\u001b[2J\"", "\"\\u001b[2J\"" },
		{ "DEL", STR("\x7f"), "\"\\u007f\"", "\"\\u007f\"" },
		{ "C1 control sequence introducer", STR("\xc2\x9b"), "\"\\u009b\"", "\"\\u009b\"" },
		{ "two bytes", STR("\xc3\xa4"), "\"\xc3\xa4\"", "\"\xc3\xa4\"" },
		{ "four bytes", STR("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"",
		  "\"\xf0\x9f\x98\x80\"" },
		{ "overlong slash", STR("\xc0\xaf"), "\"\\ufffd\\ufffd\"", "\"\\ufffd\\ufffd\"" },
		{ "surrogate", STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"",
		  "\"\\ufffd\\ufffd\\ufffd\"" },
		{ "cut character", STR("a\xe2\x82"), "\"a\\ufffd\\ufffd\"",
		  "\"a\\ufffd\\ufffd\"" },
		{ "beyond Unicode", STR("\xf5\x80"), "\"\\ufffd\\ufffd\"", "\"\\ufffd\\ufffd\"" },
	};
	/* clang-format on */
	char want[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *json = line_of(LOG_JSON, "e", cases[i].value);
		char *text = line_of(LOG_TEXT, "e", cases[i].value);

		snprintf(want, sizeof want, "\"event\":\"e\",\"k\":%s}\n", cases[i].json);
		if (strcmp(json + strlen(json) - strlen(want), want) != 0)
			fail_msg("%s: %s", cases[i].why, json);
		snprintf(want, sizeof want, "Z info e k=%s\n", cases[i].text);
		if (strcmp(text + strlen(text) - strlen(want), want) != 0)
			fail_msg("%s: %s", cases[i].why, text);
		free(json);
		free(text);
	}
}

static void long_values_are_cut_and_marked(void **state)
{
	static char value[5000];

	(void)state;
	memset(value, 'v', sizeof value);
	char *text = line_of(LOG_JSON, "e", (struct str){ value, sizeof value });

	assert_true(strlen(text) < 1200);
	assert_non_null(strstr(text, "v\xe2\x80\xa6\"}\n"));
	free(text);
}

static void a_full_line_drops_whole_members(void **state)
{
	static char     value[1024];
	struct log_line l;
	struct capture  c;
	size_t          n;

	(void)state;
	memset(value, '\x01', sizeof value); /* six bytes each when escaped: does not fit */
	log_start(LOG_INFO, LOG_JSON);
	log_stop();
	c = capture_begin();
	log_begin(&l, LOG_INFO, "e");
	log_int(&l, "before", 1);
	log_str(&l, "k", (struct str){ value, sizeof value });
	log_int(&l, "after", 2);
	log_end(&l);
	char *text = capture_end(&c, &n);

	assert_string_equal(text + 31,
			    "\",\"level\":\"info\",\"event\":\"e\",\"before\":1,\"cut\":true}\n");
	free(text);

	/* every fill up to the edge stays one whole line */
	memset(value, 'v', sizeof value);
	for (size_t fill = 0; fill < 60; fill++) {
		c = capture_begin();
		log_begin(&l, LOG_INFO, "e");
		for (int i = 0; i < 3; i++)
			log_str(&l, "k", (struct str){ value, 1000 });
		log_str(&l, "k", (struct str){ value, 950 + fill });
		log_int(&l, "n", 12345);
		log_end(&l);
		text = capture_end(&c, &n);
		assert_true(n <= LIMIT_LOG_LINE);
		assert_memory_equal(text + n - 2, "}\n", 2);
		free(text);
	}
}

static void levels_decide_what_is_written(void **state)
{
	struct capture c = capture_begin();
	size_t         n;

	(void)state;
	log_set_level(LOG_WARN);
	assert_true(log_on(LOG_ERROR));
	assert_true(log_on(LOG_WARN));
	assert_false(log_on(LOG_INFO));
	log_note(LOG_INFO, "quiet", "%s", "no");
	log_note(LOG_WARN, "loud", "%d of %s", 3, "four");
	log_set_level(LOG_INFO);
	char *text = capture_end(&c, &n);

	assert_null(strstr(text, "quiet"));
	assert_non_null(strstr(text, "\"event\":\"loud\",\"msg\":\"3 of four\"}\n"));
	free(text);
}

static void *hundred_lines(void *arg)
{
	for (int i = 0; i < 100; i++)
		log_note(LOG_INFO, "many", "%s", (const char *)arg);
	return NULL;
}

static void threads_write_whole_lines_and_stop_flushes(void **state)
{
	struct capture c = capture_begin();
	pthread_t      threads[4];
	size_t         n;
	int            lines = 0;

	(void)state;
	log_start(LOG_INFO, LOG_JSON);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hundred_lines, "text"), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	log_stop();
	log_note(LOG_INFO, "after", "straight");
	char *text = capture_end(&c, &n);

	for (char *p = text; *p; p = strchr(p, '\n') + 1) {
		assert_memory_equal(p, "{\"ts\":\"", 7);
		lines++;
	}
	assert_int_equal(lines, 401);
	assert_non_null(strstr(text, "\"event\":\"after\""));
	free(text);
}

/* Reads up to n bytes with a deadline. */
static ssize_t read_soon(int fd, char *to, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 10000) == 1 ? read(fd, to, n) : -1;
}

static void lines_are_written_without_a_stop(void **state)
{
	struct capture c = capture_begin();
	char           text[LIMIT_LOG_LINE];

	(void)state;
	log_start(LOG_INFO, LOG_TEXT);
	log_note(LOG_INFO, "soon", "there");
	ssize_t n = read_soon(c.reader, text, sizeof text - 1);
	log_stop();
	capture_restore(&c);
	close(c.reader);

	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, " info soon msg=there\n"));
}

static bool is_quiet(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

struct drain {
	int    fd;
	char  *text;
	size_t n;
};

static void *drain_all(void *arg)
{
	struct drain *d = arg;

	for (;;) {
		ssize_t n = read(d->fd, d->text + d->n, 8 * MIB - 1 - d->n);

		if (n <= 0)
			break;
		d->n += (size_t)n;
	}
	d->text[d->n] = '\0';
	return NULL;
}

static void a_stuck_stderr_blocks_nobody_and_lost_lines_are_counted(void **state)
{
	enum { LINES = 20000 };
	struct capture c = capture_begin(); /* nobody reads: the pipe is full after 64 KiB */
	struct drain   d = { .fd = c.reader, .text = malloc(8 * MIB) };
	pthread_t      reader;
	uint64_t       kept = 0;
	uint64_t       dropped = 0;
	char           pad[200];

	(void)state;
	assert_non_null(d.text);
	memset(pad, 'p', sizeof pad - 1);
	pad[sizeof pad - 1] = '\0';
	log_start(LOG_INFO, LOG_JSON);
	assert_true(is_quiet(c.reader));    /* else it has no thread, and says so */
	int64_t before = clock_thread_us(); /* what blocks would do so for ever */
	for (int i = 0; i < LINES; i++)
		log_note(LOG_INFO, "flood", "%s", pad);
	int64_t took = clock_thread_us() - before;

	assert_int_equal(pthread_create(&reader, NULL, drain_all, &d), 0);
	log_stop();
	capture_restore(&c); /* the last writing end: the reader sees the end of file */
	pthread_join(reader, NULL);
	close(c.reader);

	static const char tag[] = "\"log_dropped\",\"lines\":";
	for (char *p = d.text, *end; *p; p = end + 1) {
		end = strchr(p, '\n');
		char *lines = memmem(p, (size_t)(end - p), tag, sizeof tag - 1);

		if (lines)
			dropped += strtoull(lines + sizeof tag - 1, NULL, 10);
		else
			kept++;
	}
	free(d.text);
	print_message("kept %llu, dropped %llu, %.3f us a line\n", (unsigned long long)kept,
		      (unsigned long long)dropped, (double)took / (double)LINES);
	assert_true(dropped > 0);
	assert_int_equal(kept + dropped, LINES);
	assert_true(took < 5000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_opens_with_ts_level_and_event),
		cmocka_unit_test(values_cannot_forge_lines),
		cmocka_unit_test(long_values_are_cut_and_marked),
		cmocka_unit_test(a_full_line_drops_whole_members),
		cmocka_unit_test(levels_decide_what_is_written),
		cmocka_unit_test(threads_write_whole_lines_and_stop_flushes),
		cmocka_unit_test(lines_are_written_without_a_stop),
		cmocka_unit_test(a_stuck_stderr_blocks_nobody_and_lost_lines_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
