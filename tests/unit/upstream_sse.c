/* Server-sent events: what counts as an event, however the bytes are cut. */
#include "base/limits.h"
#include "upstream/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Everything handed over, as "name|data;" one after the other. */
static enum errc note(void *arg, struct str name, struct str data, struct err *e)
{
	struct buf *seen = arg;

	assert_true(data.n > 0);
	assert_true(buf_str(seen, name) && buf_text(seen, "|") && buf_str(seen, data) &&
		    buf_text(seen, ";"));
	if (str_is(data, "STOP"))
		return err_set(e, ERR_UPSTREAM_ERROR, NULL, "stopped");
	return ERR_OK;
}

/* Feeds a copy, so that spans kept beyond the call are found by the address sanitizer. */
static enum errc feed(struct sse *s, const char *p, size_t n, struct buf *seen, struct err *e)
{
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, p, n);
	enum errc rc = sse_feed(s, copy, n, note, seen, e);
	free(copy);
	return rc;
}

static void expect_cut(const char *why, struct str text, const char *want, size_t first,
		       size_t step)
{
	struct sse s;
	struct buf seen;
	struct err e;

	sse_init(&s);
	buf_init(&seen, 1 << 20);
	for (size_t at = 0; at < text.n;) {
		size_t n = at == 0 && first ? first : step;

		n = n < text.n - at ? n : text.n - at;
		assert_int_equal(feed(&s, text.p + at, n, &seen, &e), ERR_OK);
		at += n;
	}
	assert_int_equal(sse_end(&s, note, &seen, &e), ERR_OK);
	if (!str_is(buf_view(&seen), want))
		fail_msg("%s (first cut %zu, step %zu): got %.*s", why, first, step,
			 STR_ARG(buf_view(&seen)));
	buf_finish(&seen);
	sse_finish(&s);
}

/* clang-format off */
static const struct {
	const char *why;
	const char *text;
	const char *want;
} cases[] = {
	{ "LF", "data: a\n\ndata: b\n\n", "|a;|b;" },
	{ "CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "|a;|b;" },
	{ "CR", "data: a\r\rdata: b\r\r", "|a;|b;" },
	{ "mixed line ends", "data: a\r\ndata: b\rdata: c\n\r\n", "|a\nb\nc;" },
	{ "a BOM in front", "\xEF\xBB\xBF" "data: a\n\n", "|a;" },
	{ "a second BOM is part of a field name",
	  "data: a\n\n\xEF\xBB\xBF" "data: b\n\n", "|a;" },
	{ "several bytes to a character", "data: h\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\n\n",
	  "|h\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80;" },
	{ "no space behind the colon", "data:{\"a\":1}\n\n", "|{\"a\":1};" },
	{ "only one space is taken", "data:  a\n\n", "| a;" },
	{ "comments", ": ping\n\n:\ndata: a\n: in between\ndata: b\n\n", "|a\nb;" },
	{ "a name", "event: delta\ndata: a\n\ndata: b\n\n", "delta|a;|b;" },
	{ "the last name counts", "event: x\nevent: y\ndata: a\n\n", "y|a;" },
	{ "a name without data is none", "event: ping\n\ndata: a\n\n", "|a;" },
	{ "empty data is none", "data:\n\ndata\n\ndata: \n\ndata: a\n\n", "|a;" },
	{ "an empty first line", "data:\ndata: a\n\n", "|\na;" },
	{ "ids, retry times and unknown fields are passed over",
	  "id: 7\nretry: 10\nfoo: bar\nfoo\ndata: a\n\n", "|a;" },
	{ "field names are case-sensitive", "Data: a\nDATA: b\n\ndata: c\n\n", "|c;" },
	{ "no blank line at the end", "data: a\n\ndata: [DONE]\n", "|a;|[DONE];" },
	{ "no line end at the end", "data: a\n\ndata: [DONE]", "|a;|[DONE];" },
	{ "an error field", "error: {\"code\":500}\n\n", "error|{\"code\":500};" },
	{ "a bare JSON line", "data: a\n\n{\"error\":\"x\"}\n", "|a;error|{\"error\":\"x\"};" },
	{ "a bare JSON line behind data", "data: a\n{\"error\":\"x\"}\n\n",
	  "|a;error|{\"error\":\"x\"};" },
	{ "bare JSON over lines", "{\n  \"error\": {\n  \"message\": \"m\" } }\n\ndata: b\n\n",
	  "error|{\n  \"error\": {\n  \"message\": \"m\" } };|b;" },
	{ "a field behind bare JSON", "[1]\ndata: a\n\n", "error|[1];|a;" },
	{ "JSON in data stays data", "data: {\"a\":\ndata: 1}\n\n", "|{\"a\":\n1};" },
	{ "blank lines only", "\n\n\r\n\r\r\n", "" },
	{ "nothing", "", "" },
};
/* clang-format on */

static void events_come_out_the_same_however_the_bytes_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_of(cases[i].text);

		expect_cut(cases[i].why, text, cases[i].want, 0, text.n + 1);
		for (size_t step = 1; step < 8; step++)
			expect_cut(cases[i].why, text, cases[i].want, 0, step);
		for (size_t first = 1; first < text.n; first++)
			expect_cut(cases[i].why, text, cases[i].want, first, text.n);
	}
}

static void an_event_is_handed_over_with_its_blank_line_not_with_the_next_bytes(void **state)
{
	struct sse s;
	struct buf seen;
	struct err e;

	(void)state;
	sse_init(&s);
	buf_init(&seen, 1024);
	assert_int_equal(feed(&s, "data: a\r\r", 9, &seen, &e), ERR_OK);
	assert_true(str_is(buf_view(&seen), "|a;"));
	assert_int_equal(feed(&s, "\ndata: b\n\n", 10, &seen, &e), ERR_OK);
	assert_true(str_is(buf_view(&seen), "|a;|b;"));
	buf_finish(&seen);
	sse_finish(&s);
}

static void an_error_of_the_receiver_stops_the_feed(void **state)
{
	struct sse s;
	struct buf seen;
	struct err e;

	(void)state;
	sse_init(&s);
	buf_init(&seen, 1024);
	assert_int_equal(feed(&s, "data: STOP\n\ndata: b\n\n", 21, &seen, &e), ERR_UPSTREAM_ERROR);
	assert_true(str_is(buf_view(&seen), "|STOP;"));
	buf_finish(&seen);
	sse_finish(&s);
}

static void lines_and_events_have_a_bound(void **state)
{
	struct sse s;
	struct buf seen;
	struct err e;
	size_t     n = (size_t)1 << 20;
	char      *block = malloc(n);
	enum errc  rc = ERR_OK;

	(void)state;
	assert_non_null(block);
	memset(block, 'x', n);
	buf_init(&seen, 64u << 20);

	sse_init(&s); /* a line that never ends */
	for (int i = 0; i < 20 && rc == ERR_OK; i++)
		rc = sse_feed(&s, block, n, note, &seen, &e);
	assert_int_equal(rc, ERR_UPSTREAM_BAD_RESPONSE);
	sse_finish(&s);

	sse_init(&s); /* an event that never ends */
	memcpy(block, "data:", 5);
	block[n - 1] = '\n';
	rc = ERR_OK;
	for (int i = 0; i < 40 && rc == ERR_OK; i++)
		rc = sse_feed(&s, block, n, note, &seen, &e);
	assert_int_equal(rc, ERR_UPSTREAM_BAD_RESPONSE);
	sse_finish(&s);

	sse_init(&s); /* a name without end */
	memcpy(block, "event:", 6);
	assert_int_equal(sse_feed(&s, block, n, note, &seen, &e), ERR_UPSTREAM_BAD_RESPONSE);
	sse_finish(&s);
	buf_finish(&seen);
	free(block);
}

static void a_large_event_does_not_keep_its_memory(void **state)
{
	struct sse s;
	struct buf seen;
	struct err e;
	size_t     n = (size_t)1 << 20;
	char      *block = malloc(n);

	(void)state;
	assert_non_null(block);
	memset(block, 'x', n);
	memcpy(block, "data: ", 6);
	memcpy(block + n - 2, "\n\n", 2);
	buf_init(&seen, 4u << 20);
	sse_init(&s);
	for (size_t at = 0; at < n; at += 1024)
		assert_int_equal(sse_feed(&s, block + at, 1024, note, &seen, &e), ERR_OK);
	assert_int_equal(seen.len, n - 8 + 2);
	assert_true(s.line.cap + s.data.cap < 64u << 10);
	sse_finish(&s);
	buf_finish(&seen);
	free(block);
}

struct taken {
	struct sse *sse;
	struct buf  data;
	size_t      from;
};

static enum errc take(void *arg, struct str name, struct str data, struct err *e)
{
	struct taken *t = arg;

	(void)name;
	(void)e;
	assert_true(sse_take(t->sse, &t->data, &t->from));
	assert_ptr_equal(t->data.data + t->from, data.p);
	assert_int_equal(t->data.len - t->from, data.n);
	return ERR_OK;
}

static void a_long_event_can_be_taken(void **state)
{
	static const char *const ends[] = { "\n\n", "\ndata: more\n\n" };
	struct sse               s;
	struct taken             t = { .sse = &s };
	struct buf               seen;
	struct err               e;
	char                     x[1000];

	(void)state;
	memset(x, 'x', sizeof x);
	buf_init(&seen, 1024);
	sse_init(&s);
	for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
		assert_int_equal(sse_feed(&s, "data: ", 6, take, &t, &e), ERR_OK);
		for (int i = 0; i < 100; i++)
			assert_int_equal(sse_feed(&s, x, sizeof x, take, &t, &e), ERR_OK);
		assert_int_equal(sse_feed(&s, ends[k], strlen(ends[k]), take, &t, &e), ERR_OK);
		assert_int_equal(t.data.len - t.from, 100 * sizeof x + k * strlen("\nmore"));
		buf_finish(&t.data);
		/* The parser goes on as if nothing had been taken. */
		assert_int_equal(feed(&s, "data: a\ndata: b\n\n", 17, &seen, &e), ERR_OK);
	}
	assert_true(str_is(buf_view(&seen), "|a\nb;|a\nb;"));
	sse_finish(&s);
	buf_finish(&seen);
}

static void a_whole_line_in_one_read_is_not_copied(void **state)
{
	struct sse s;
	struct buf seen;
	struct err e;

	(void)state;
	sse_init(&s);
	buf_init(&seen, 1024);
	assert_int_equal(feed(&s, "data: a\n\ndata: b\n\n", 18, &seen, &e), ERR_OK);
	assert_int_equal(s.line.cap + s.data.cap, 0);
	assert_true(str_is(buf_view(&seen), "|a;|b;"));
	buf_finish(&seen);
	sse_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_out_the_same_however_the_bytes_are_cut),
		cmocka_unit_test(
			an_event_is_handed_over_with_its_blank_line_not_with_the_next_bytes),
		cmocka_unit_test(an_error_of_the_receiver_stops_the_feed),
		cmocka_unit_test(lines_and_events_have_a_bound),
		cmocka_unit_test(a_large_event_does_not_keep_its_memory),
		cmocka_unit_test(a_long_event_can_be_taken),
		cmocka_unit_test(a_whole_line_in_one_read_is_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
