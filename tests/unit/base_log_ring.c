/* The ring of the log: places of lines, what is overwritten, what a line says. */
#include "base/log_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static char out[LIMIT_LOG_RING];

static void put(const char *text)
{
	log_ring_put(text, strlen(text));
}

static void assert_taken(uint64_t from, size_t max, const char *text, uint64_t at)
{
	uint64_t ret_at = 0;
	size_t   n = log_ring_take(from, out, max, &ret_at);

	assert_int_equal(n, strlen(text));
	assert_memory_equal(out, text, n);
	assert_int_equal(ret_at, at);
}

static void lines_are_taken_from_a_place_on(void **state)
{
	(void)state;
	assert_taken(0, sizeof out, "", 0);
	put("one\n");
	put("two\nthree\n");
	assert_taken(0, sizeof out, "one\ntwo\nthree\n", 0);
	assert_taken(4, sizeof out, "two\nthree\n", 4);
	assert_taken(14, sizeof out, "", 14);
	assert_taken(99, sizeof out, "one\ntwo\nthree\n", 0); /* of another process */
	assert_taken(0, 12, "two\nthree\n", 4);               /* the newest that fit */
	assert_taken(0, 3, "", 14);
}

static void the_oldest_lines_are_overwritten_whole(void **state)
{
	static char big[LIMIT_LOG_RING / 2 + 1];
	uint64_t    at = 0;

	(void)state;
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\n';
	put("last\n");
	log_ring_put(big, sizeof big);
	log_ring_put(big, sizeof big);
	size_t n = log_ring_take(0, out, sizeof out, &at);
	assert_int_equal(n, sizeof big);
	assert_memory_equal(out, big, n);
	put("end\n");
	n = log_ring_take(at + n, out, sizeof out, &at);
	assert_int_equal(n, 4);
	assert_memory_equal(out, "end\n", 4);
}

static void assert_line(const char *line, enum log_level level, const char *event, const char *id)
{
	struct log_seen seen;

	assert_true(log_line_read(str_of(line), &seen));
	assert_int_equal(seen.level, level);
	assert_true(str_is(seen.event, event));
	assert_true(str_is(seen.request_id, id));
	assert_true(str_is(seen.ts, "2026-01-31T23:59:59.123Z"));
}

static void a_line_tells_its_level_event_and_request(void **state)
{
	struct log_seen seen;

	(void)state;
#define TS "2026-01-31T23:59:59.123Z"
	assert_line("{\"ts\":\"" TS "\",\"level\":\"warn\",\"event\":\"x\",\"msg\":\"y\"}",
		    LOG_WARN, "x", "");
	assert_line("{\"ts\":\"" TS "\",\"level\":\"info\",\"event\":\"request\",\"request_id\":"
		    "\"req_1\",\"status\":200}",
		    LOG_INFO, "request", "req_1");
	/* A value that looks like a member is escaped. */
	assert_line("{\"ts\":\"" TS "\",\"level\":\"info\",\"event\":\"request\",\"path\":"
		    "\"\\\",\\\"request_id\\\":\\\"req_9\",\"request_id\":\"req_1\"}",
		    LOG_INFO, "request", "req_1");
	assert_line(TS " error drain", LOG_ERROR, "drain", "");
	assert_line(TS " debug step run=1 request_id=req_2 ms=1", LOG_DEBUG, "step", "req_2");
	assert_line(TS " debug step request_id=req_2", LOG_DEBUG, "step", "req_2");
	assert_false(log_line_read(STR("anything"), &seen));
	assert_false(log_line_read(STR(""), &seen));
	assert_false(log_line_read(STR("{\"ts\":\"" TS "\",\"level\":\"loud\",\"event\":\"x\"}"),
				   &seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_taken_from_a_place_on),
		cmocka_unit_test(the_oldest_lines_are_overwritten_whole),
		cmocka_unit_test(a_line_tells_its_level_event_and_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
