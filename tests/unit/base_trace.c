/* Trace contexts, and the queue of spans with its bound. */
#include "base/trace.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ID     "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

static void a_callers_trace_goes_on(void **state)
{
	struct trace t, child;
	char         header[TRACE_HEADER];

	(void)state;
	assert_true(trace_begin(&t, STR("00-" ID "-" PARENT "-01")));
	assert_string_equal(t.id, ID);
	assert_string_equal(t.parent, PARENT);
	assert_int_equal(strlen(t.span), 16);
	assert_string_not_equal(t.span, PARENT);
	assert_true(t.sampled);
	trace_child(&child, &t);
	assert_string_equal(child.id, ID);
	assert_string_equal(child.parent, t.span);
	assert_string_not_equal(child.span, t.span);
	trace_header(&child, header);
	assert_int_equal(strlen(header), 55);
	assert_true(trace_begin(&t, str_of(header)));
	assert_string_equal(t.parent, child.span);
}

static void flags_and_later_versions_are_read(void **state)
{
	struct trace t;

	(void)state;
	assert_true(trace_begin(&t, STR("00-" ID "-" PARENT "-00")));
	assert_false(t.sampled);
	assert_true(trace_begin(&t, STR("00-" ID "-" PARENT "-fe")));
	assert_false(t.sampled);
	assert_true(trace_begin(&t, STR("01-" ID "-" PARENT "-03-more")));
	assert_true(t.sampled);
}

static void what_is_malformed_begins_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"00",
		"00-" ID "-" PARENT,
		"00-" ID "-" PARENT "-0",
		"00-" ID "-" PARENT "-01-more",
		"00-" ID "-" PARENT "-01 ",
		"01-" ID "-" PARENT "-01more",
		"ff-" ID "-" PARENT "-01",
		"0g-" ID "-" PARENT "-01",
		"00-" ID "-" PARENT "-0g",
		"00_" ID "-" PARENT "-01",
		"00-00000000000000000000000000000000-" PARENT "-01",
		"00-" ID "-0000000000000000-01",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct trace t, child;

		assert_false(trace_begin(&t, str_of(bad[i])));
		assert_string_equal(t.id, "");
		trace_child(&child, &t);
		assert_string_equal(child.span, "");
		assert_false(trace_wanted(&t));
	}
}

static void tell(const struct trace *t, struct str value, const char *error)
{
	struct trace_span s;

	trace_open(&s, t, TRACE_CLIENT, STR("a \"name\""), 5);
	trace_str(&s, "text", value);
	trace_str(&s, "nothing", STR_NONE);
	trace_int(&s, "n", -3);
	trace_bool(&s, "yes", true);
	trace_seconds(&s, "took", 1500000);
	trace_list(&s, "one", STR("x"));
	trace_close(&s, error);
}

/* The last test but one: what is on stays on. */
static void spans_are_told_once_and_in_order(void **state)
{
	struct trace t;
	struct buf   out;
	uint64_t     n;

	(void)state;
	trace_enable(100);
	assert_true(trace_begin(&t, STR("00-" ID "-" PARENT "-01")));
	assert_true(trace_wanted(&t));
	tell(&t, STR("v\n"), NULL);
	tell(&t, STR("w"), "timeout");
	assert_true(trace_take(&out, &n));
	assert_int_equal(n, 2);
	assert_true(buf_add(&out, "", 1));
	assert_ptr_equal(strstr(out.data, "{\"traceId\":\"" ID "\",\"spanId\":\""), out.data);
	assert_non_null(strstr(out.data, "\"parentSpanId\":\"" PARENT "\",\"kind\":3,"));
	assert_non_null(strstr(
		out.data,
		"\"name\":\"a \\\"name\\\"\",\"attributes\":["
		"{\"key\":\"text\",\"value\":{\"stringValue\":\"v\\n\"}},"
		"{\"key\":\"n\",\"value\":{\"intValue\":\"-3\"}},"
		"{\"key\":\"yes\",\"value\":{\"boolValue\":true}},"
		"{\"key\":\"took\",\"value\":{\"doubleValue\":1.500000}},"
		"{\"key\":\"one\",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"x\"}]}}}]},{"));
	assert_non_null(strstr(out.data,
			       "{\"key\":\"error.type\",\"value\":{\"stringValue\":\"timeout\"}}],"
			       "\"status\":{\"code\":2}}"));
	buf_finish(&out);
	assert_false(trace_take(&out, &n));
	buf_finish(&out);
}

static void the_queue_is_bounded(void **state)
{
	static char  big[LIMIT_TRACE_SPAN];
	struct trace t;
	struct buf   out;
	uint64_t     n;

	(void)state;
	memset(big, 'x', sizeof big);
	assert_true(trace_begin(&t, STR("00-" ID "-" PARENT "-01")));
	tell(&t, (struct str){ big, sizeof big }, NULL);
	assert_false(trace_take(&out, &n));
	buf_finish(&out);
	for (size_t i = 0; i < LIMIT_TRACE_QUEUE / 4000; i++)
		tell(&t, (struct str){ big, 4000 }, NULL);
	assert_true(trace_take(&out, &n));
	assert_true(n > LIMIT_TRACE_QUEUE / 5000 && n < LIMIT_TRACE_QUEUE / 4000);
	assert_true(out.len <= LIMIT_TRACE_QUEUE);
	assert_int_equal(out.data[out.len - 1], '}');
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_callers_trace_goes_on),
		cmocka_unit_test(flags_and_later_versions_are_read),
		cmocka_unit_test(what_is_malformed_begins_nothing),
		cmocka_unit_test(spans_are_told_once_and_in_order),
		cmocka_unit_test(the_queue_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
