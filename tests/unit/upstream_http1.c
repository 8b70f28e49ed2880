/* The answers of HTTP/1.1: framing, what is kept of the head, what can't be read; however cut. */
#include "base/base.h"
#include "base/limits.h"
#include "upstream/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK "HTTP/1.1 200 OK\r\n"

enum end { GOES_ON, WHOLE, CUT, WRONG };

/* clang-format off */
static const struct {
	const char *text;
	enum end    end;      /* at the end of the connection */
	const char *body;
	const char *wrong;    /* in its words */
	int         status;
	bool        keeps;    /* another request may follow */
	bool        surplus;
} answers[] = {
	{ .text = OK "Content-Length: 2\r\n\r\n{}", .end = WHOLE, .body = "{}", .keeps = true },
	{ .text = OK "content-length:2\r\n\r\n{}", .end = WHOLE, .body = "{}", .keeps = true },
	{ .text = OK "Content-Length: 2, x\r\n\r\n{}", .end = WRONG, .wrong = "Content-Length that is no" },
	{ .text = OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", .end = WHOLE, .body = "{}", .keeps = true },
	{ .text = OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", .end = WRONG, .wrong = "unequal" },
	{ .text = OK "Content-Length: -2\r\n\r\n{}", .end = WRONG, .wrong = "Content-Length that is no" },
	{ .text = OK "Content-Length: 9999999999999999999\r\n\r\n", .end = WRONG, .wrong = "Content-Length that is no" },
	{ .text = OK "Content-Length:\r\n\r\n", .end = WRONG, .wrong = "Content-Length that is no" },
	{ .text = OK "Content-Length: 0\r\n\r\n", .end = WHOLE, .keeps = true },
	{ .text = OK "Content-Length: 3\r\n\r\n{}", .end = CUT, .body = "{}", .keeps = true },
	{ .text = OK "Content-Length: 2\r\n\r\n{}HTTP", .end = WHOLE, .body = "{}", .keeps = true, .surplus = true },
	{ .text = OK "Content-Length: 2\r\nConnection: x, Close\r\n\r\n{}", .end = WHOLE, .body = "{}" },
	{ .text = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", .end = WHOLE, .body = "{}" },
	{ .text = "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", .end = WHOLE, .body = "{}", .keeps = true },
	{ .text = OK "\r\nuntil the end", .end = WHOLE, .body = "until the end" },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", .end = WHOLE,
	  .body = "abc0123456789", .keeps = true },
	{ .text = OK "Transfer-Encoding: Chunked\r\n\r\n3  \r\nabc\r\n000\r\nX: y\r\nZ: z\r\n\r\n", .end = WHOLE,
	  .body = "abc", .keeps = true },
	{ .text = OK "Transfer-Encoding: chunked\n\n3\nabc\n0\n\n", .end = WHOLE, .body = "abc", .keeps = true },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .end = CUT, .body = "abc", .keeps = true },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", .end = CUT, .body = "abc", .keeps = true },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n", .end = WRONG, .body = "abc", .wrong = "without a size" },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n\r\n", .end = WRONG, .wrong = "without a size" },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3 4\r\nabc\r\n", .end = WRONG, .wrong = "without a size" },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n", .end = WRONG, .wrong = "impossible" },
	{ .text = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", .end = WRONG, .body = "abc", .wrong = "longer than its size" },
	{ .text = OK "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .end = WRONG, .wrong = "other than chunked" },
	{ .text = OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .end = WRONG,
	  .wrong = "other than chunked" },
	{ .text = OK "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\nx\r\n0\r\n\r\n", .end = WHOLE, .body = "x" },
	{ .text = "HTTP/1.1 204 No Content\r\n\r\n", .end = WHOLE, .status = 204, .keeps = true },
	{ .text = "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", .end = WHOLE, .status = 204, .keeps = true },
	{ .text = "HTTP/1.1 429\r\nContent-Length: 1\r\n\r\nx", .end = WHOLE, .status = 429, .body = "x", .keeps = true },
	{ .text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX: y\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  .end = WHOLE, .body = "x", .keeps = true },
	{ .text = "HTTP/1.1 101 Switching\r\n\r\n", .end = WRONG, .wrong = "change of protocol", .status = 101 },
	{ .text = "HTTP/2 200\r\n\r\n", .end = WRONG, .wrong = "no HTTP/1 status line" },
	{ .text = "SSH-2.0-x\r\n", .end = WRONG, .wrong = "no HTTP/1 status line" },
	{ .text = "\r\n" OK, .end = WRONG, .wrong = "no HTTP/1 status line" },
	{ .text = "HTTP/1.1 2000 OK\r\n", .end = WRONG, .wrong = "no HTTP/1 status line" },
	{ .text = "HTTP/1.1 099 OK\r\n", .end = WRONG, .wrong = "no HTTP/1 status line" },
	{ .text = OK "nonsense\r\n\r\n", .end = WRONG, .wrong = "without a name and a colon" },
	{ .text = OK ": x\r\n\r\n", .end = WRONG, .wrong = "without a name and a colon" },
	{ .text = OK "Content-Length : 2\r\n\r\n{}", .end = WRONG, .wrong = "a space in the name" },
	{ .text = OK "Content-Length: 2\r\n 3\r\n\r\n{}", .end = WRONG, .wrong = "folded" },
	{ .text = OK "X: 2\r\n 3\r\nContent-Length: 2\r\n\r\n{}", .end = WHOLE, .body = "{}", .keeps = true },
	{ .text = "", .end = CUT, .status = -1 },
	{ .text = "HTTP/1.1 200", .end = CUT, .status = -1 },
	{ .text = OK "X: y\r\n", .end = CUT, .keeps = true },
};
/* clang-format on */

/* Feeds the text in pieces of `step` bytes; body gets what came of it. */
static enum end feed(struct http1 *h, const char *text, size_t len, size_t step, struct buf *body)
{
	for (size_t at = 0; at < len; at += step) {
		size_t     n = len - at < step ? len - at : step;
		char      *copy = malloc(n);
		struct str part;

		assert_non_null(copy);
		memcpy(copy, text + at, n);
		bool ok = http1_feed(h, copy, n, &part);
		assert_true(buf_str(body, part));
		free(copy);
		if (!ok)
			return WRONG;
	}
	return http1_end(h) ? WHOLE : CUT;
}

static void check_answer(size_t i, size_t step)
{
	const char  *text = answers[i].text;
	int          status = answers[i].status ? answers[i].status : 200;
	struct http1 h;
	struct buf   body;

	http1_init(&h);
	buf_init(&body, 1000);
	enum end end = feed(&h, text, strlen(text), step, &body);
	if (end != answers[i].end)
		fail_msg("%s: ended as %d", text, (int)end);
	if (!str_is(buf_view(&body), answers[i].body ? answers[i].body : ""))
		fail_msg("%s: body %.*s", text, STR_ARG(buf_view(&body)));
	if (end == WRONG) {
		if (!strstr(h.wrong, answers[i].wrong))
			fail_msg("%s: %s", text, h.wrong);
	} else {
		assert_null(h.wrong);
		assert_int_equal(h.keeps, answers[i].keeps);
		assert_int_equal(h.surplus, answers[i].surplus);
		assert_int_equal(h.status, status < 0 ? 0 : status);
		assert_int_equal(http1_begun(&h), *text != '\0');
	}
	buf_finish(&body);
	http1_finish(&h);
}

static void answers_are_read_however_they_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++)
		for (size_t step = 1; step < 200; step++)
			check_answer(i, step);
}

static void what_a_call_needs_of_the_head_is_kept(void **state)
{
	static const char text[] =
		OK "Content-Type: \t Text/HTML; charset=UTF-8 \r\nRetry-After: 7\r\n"
		   "retry-after-ms: 1500\r\nContent-Encoding: gzip\r\n"
		   "Content-Length: 0\r\n\r\n";
	struct http1 h;
	struct buf   body;

	(void)state;
	http1_init(&h);
	buf_init(&body, 1);
	assert_int_equal(feed(&h, text, sizeof text - 1, sizeof text, &body), WHOLE);
	assert_string_equal(h.content_type, "text/html; charset=utf-8");
	assert_string_equal(h.retry_after, "7");
	assert_string_equal(h.retry_after_ms, "1500");
	assert_true(h.compressed);
	buf_finish(&body);
	http1_finish(&h);
}

/* Repeats the line until the head is refused. */
static const char *refused_after(const char *line, size_t len, size_t at_most)
{
	struct http1 h;
	struct buf   body;
	const char  *wrong = NULL;

	http1_init(&h);
	buf_init(&body, 1);
	assert_int_equal(feed(&h, OK, strlen(OK), 100, &body), CUT);
	for (size_t n = 0; n <= at_most && !wrong; n += len)
		if (feed(&h, line, len, len, &body) == WRONG)
			wrong = h.wrong;
	buf_finish(&body);
	http1_finish(&h);
	return wrong;
}

static void a_head_is_bounded(void **state)
{
	static const char line[] = "X-Filler: 0123456789012345678901234567890123456789\r\n";
	const char       *wrong;

	(void)state;
	wrong = refused_after("0123456789", 10, LIMIT_UPSTREAM_LINE);
	assert_string_equal(wrong, "a header line of more than 100 KiB");
	wrong = refused_after(line, sizeof line - 1, LIMIT_UPSTREAM_HEAD);
	assert_string_equal(wrong, "a head of more than 300 KiB");
	/* A long stream has more lines of chunk sizes than a head may have. */
	struct http1 h;
	struct buf   body;
	const char   head[] = OK "Transfer-Encoding: chunked\r\n\r\n";

	http1_init(&h);
	buf_init(&body, LIMIT_UPSTREAM_HEAD + 1);
	assert_int_equal(feed(&h, head, sizeof head - 1, 100, &body), CUT);
	for (size_t n = 0; n <= LIMIT_UPSTREAM_HEAD; n++)
		assert_int_equal(feed(&h, "1\r\nx\r\n", 6, 6, &body), CUT);
	assert_int_equal(body.len, LIMIT_UPSTREAM_HEAD + 1);
	buf_finish(&body);
	http1_finish(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_read_however_they_are_cut),
		cmocka_unit_test(what_a_call_needs_of_the_head_is_kept),
		cmocka_unit_test(a_head_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
