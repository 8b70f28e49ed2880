/* What follows on each failure, as a table. */
#include "run/retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MS = 1000 };

/* clang-format off */
static const struct {
	const char     *why;
	enum errc       code;
	int             status;
	const char     *wire;
	int64_t         told_ms;
	struct retry_case at; /* err is filled in */
	enum retry_next want;
	int64_t         from_us, to_us;
} cases[] = {
#define LEFT .left_us = INT64_MAX
	{ "refused", ERR_UPSTREAM_CONNECT, 0, "", 0, { .retries = 2, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "refused again", ERR_UPSTREAM_CONNECT, 0, "", 0, { .retries = 2, .again = 1, LEFT }, RETRY_SAME,
	  500 * MS, 1000 * MS },
	{ "often", ERR_UPSTREAM_CONNECT, 0, "", 0, { .retries = 10, .again = 9, LEFT }, RETRY_SAME,
	  1000 * MS, 2000 * MS },
	{ "too often", ERR_UPSTREAM_CONNECT, 0, "", 0, { .retries = 2, .again = 2, LEFT }, RETRY_STOP, 0, 0 },
	{ "then the fallback", ERR_UPSTREAM_CONNECT, 0, "", 0,
	  { .retries = 2, .again = 2, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "the fallback waits for the retries", ERR_UPSTREAM_CONNECT, 0, "", 0,
	  { .retries = 2, .fallback = true, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "another target is better", ERR_UPSTREAM_CONNECT, 0, "", 0,
	  { .retries = 2, .other = true, .fallback = true, LEFT }, RETRY_OTHER, 0, 0 },
	{ "also without retries", ERR_UPSTREAM_CONNECT, 0, "", 0, { .other = true, LEFT }, RETRY_OTHER, 0, 0 },
	{ "slow to connect", ERR_CONNECT_TIMEOUT, 0, "", 0, { .retries = 1, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "500", ERR_UPSTREAM_ERROR, 500, "", 0, { .retries = 1, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "502", ERR_UPSTREAM_ERROR, 502, "", 0, { .retries = 1, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "504", ERR_UPSTREAM_ERROR, 504, "", 0, { .retries = 1, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "529", ERR_UPSTREAM_UNAVAILABLE, 529, "", 0, { .retries = 1, LEFT }, RETRY_SAME, 250 * MS, 500 * MS },
	{ "503 that says when", ERR_UPSTREAM_UNAVAILABLE, 503, "", 1000, { .retries = 1, LEFT }, RETRY_SAME,
	  1005 * MS, 1255 * MS },
	{ "503 that says much later", ERR_UPSTREAM_UNAVAILABLE, 503, "", 3000, { .retries = 1, LEFT },
	  RETRY_STOP, 0, 0 },
	{ "the same with a fallback", ERR_UPSTREAM_UNAVAILABLE, 503, "", 3000,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "an error as the first event", ERR_UPSTREAM_ERROR, 200, "", 0, { .retries = 1, LEFT }, RETRY_SAME,
	  250 * MS, 500 * MS },
	{ "408 is no sign of either", ERR_UPSTREAM_ERROR, 408, "", 0,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "429 soon", ERR_UPSTREAM_RATE_LIMIT, 429, "", 40, { .retries = 1, LEFT }, RETRY_SAME, 45 * MS, 55 * MS },
	{ "429 at the border", ERR_UPSTREAM_RATE_LIMIT, 429, "", 2000, { .retries = 1, LEFT }, RETRY_SAME,
	  2005 * MS, 2505 * MS },
	{ "429 late", ERR_UPSTREAM_RATE_LIMIT, 429, "", 2001, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "429 that does not say", ERR_UPSTREAM_RATE_LIMIT, 429, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "429 with others", ERR_UPSTREAM_RATE_LIMIT, 429, "", 60000, { .other = true, LEFT }, RETRY_OTHER, 0, 0 },
	{ "429 with a fallback", ERR_UPSTREAM_RATE_LIMIT, 429, "", 60000, { .fallback = true, LEFT },
	  RETRY_LATER, 0, 0 },
	{ "no money", ERR_UPSTREAM_RATE_LIMIT, 429, "insufficient_quota", 40,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "a limit of spending", ERR_UPSTREAM_RATE_LIMIT, 429, "project_spend_limit_exceeded", 40,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "a cap of the month", ERR_UPSTREAM_RATE_LIMIT, 429, "enforced_spend_limit_reached", 40,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "402", ERR_UPSTREAM_ERROR, 402, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "a refused key", ERR_UPSTREAM_AUTH, 401, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "a denied call", ERR_UPSTREAM_DENIED, 403, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "a refused key, with a fallback", ERR_UPSTREAM_AUTH, 403, "", 0,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "what another host signed", ERR_UPSTREAM_SIGNATURE, 400, "", 0,
	  { .other = true, .fallback = true, LEFT }, RETRY_BARE, 0, 0 },
	{ "once", ERR_UPSTREAM_SIGNATURE, 400, "", 0,
	  { .bare = true, .retries = 2, .other = true, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "not in an answer", ERR_UPSTREAM_SIGNATURE, 400, "", 0, { .committed = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "a bad request", ERR_UPSTREAM_REJECTED, 400, "", 0,
	  { .retries = 1, .other = true, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "silence", ERR_FIRST_BYTE_TIMEOUT, 0, "", 0, { .retries = 1, .other = true, .fallback = true, LEFT },
	  RETRY_STOP, 0, 0 },
	{ "total", ERR_TOTAL_TIMEOUT, 0, "", 0, { .retries = 1, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "the provider's own limit", ERR_UPSTREAM_TIMEOUT, 408, "", 0,
	  { .retries = 1, .other = true, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "no answer", ERR_UPSTREAM_BAD_RESPONSE, 0, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "no answer, with others", ERR_UPSTREAM_BAD_RESPONSE, 0, "", 0,
	  { .retries = 1, .other = true, .fallback = true, LEFT }, RETRY_OTHER, 0, 0 },
	{ "no answer, with a fallback", ERR_UPSTREAM_BAD_RESPONSE, 0, "", 0,
	  { .retries = 1, .fallback = true, LEFT }, RETRY_LATER, 0, 0 },
	{ "cut", ERR_STREAM_INCOMPLETE, 200, "", 0, { .retries = 1, LEFT }, RETRY_STOP, 0, 0 },
	{ "cut, with a fallback", ERR_STREAM_INCOMPLETE, 200, "", 0, { .retries = 1, .fallback = true, LEFT },
	  RETRY_LATER, 0, 0 },
	{ "cut in an answer", ERR_STREAM_INCOMPLETE, 200, "", 0,
	  { .committed = true, .retries = 1, .other = true, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "our own", ERR_OVERLOADED, 0, "", 0, { .retries = 1, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "committed", ERR_UPSTREAM_ERROR, 500, "", 0,
	  { .committed = true, .retries = 1, .other = true, .fallback = true, LEFT }, RETRY_STOP, 0, 0 },
	{ "no time left", ERR_UPSTREAM_CONNECT, 0, "", 0,
	  { .retries = 1, .other = true, .fallback = true, .left_us = 0 }, RETRY_STOP, 0, 0 },
	{ "not the time to wait", ERR_UPSTREAM_CONNECT, 0, "", 0, { .retries = 1, .left_us = 100 * MS },
	  RETRY_STOP, 0, 0 },
	{ "but to fall back", ERR_UPSTREAM_CONNECT, 0, "", 0,
	  { .retries = 1, .fallback = true, .left_us = 100 * MS }, RETRY_LATER, 0, 0 },
#undef LEFT
};
/* clang-format on */

static void fill(struct err *e, size_t i)
{
	err_set(e, cases[i].code, NULL, "x");
	e->upstream_status = cases[i].status;
	e->retry_after_ms = cases[i].told_ms;
	snprintf(e->wire, sizeof e->wire, "%s", cases[i].wire);
}

static void each_failure_has_its_next_step(void **state)
{
	static const uint64_t random[] = { 0, 1, 123456789, UINT64_MAX };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t k = 0; k < ARRAY_LEN(random); k++) {
			struct retry_case c = cases[i].at;
			struct err        e;

			fill(&e, i);
			c.err = &e;
			c.random = random[k];
			struct retry_step got = retry_decide(&c);
			if (got.next != cases[i].want || got.wait_us < cases[i].from_us ||
			    got.wait_us > cases[i].to_us)
				fail_msg("%s: %d after %lld us", cases[i].why, (int)got.next,
					 (long long)got.wait_us);
		}
	}
}

static void a_failure_tells_of_health_or_does_not(void **state)
{
	static const struct {
		enum errc        code;
		int              status;
		enum health_news before, after;
	} news[] = {
		{ ERR_UPSTREAM_CONNECT, 0, HEALTH_FAILED, HEALTH_FAILED },
		{ ERR_UPSTREAM_ERROR, 500, HEALTH_FAILED, HEALTH_NEITHER },
		{ ERR_UPSTREAM_ERROR, 402, HEALTH_USED_UP, HEALTH_USED_UP },
		{ ERR_FIRST_BYTE_TIMEOUT, 0, HEALTH_FAILED, HEALTH_NEITHER },
		{ ERR_TOTAL_TIMEOUT, 200, HEALTH_FAILED, HEALTH_NEITHER },
		{ ERR_UPSTREAM_TIMEOUT, 408, HEALTH_FAILED, HEALTH_NEITHER },
		{ ERR_UPSTREAM_RATE_LIMIT, 429, HEALTH_LIMITED, HEALTH_LIMITED },
		{ ERR_UPSTREAM_AUTH, 401, HEALTH_REFUSED, HEALTH_REFUSED },
		{ ERR_UPSTREAM_DENIED, 403, HEALTH_NEITHER, HEALTH_NEITHER },
		{ ERR_UPSTREAM_REJECTED, 400, HEALTH_NEITHER, HEALTH_NEITHER },
		{ ERR_UPSTREAM_REJECTED, 422, HEALTH_NEITHER, HEALTH_NEITHER },
		{ ERR_UPSTREAM_BAD_RESPONSE, 200, HEALTH_NEITHER, HEALTH_NEITHER },
		{ ERR_STREAM_INCOMPLETE, 200, HEALTH_NEITHER, HEALTH_NEITHER },
		{ ERR_CANCELLED, 0, HEALTH_NEITHER, HEALTH_NEITHER },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(news); i++) {
		struct err e;

		err_set(&e, news[i].code, NULL, "x");
		e.upstream_status = news[i].status;
		assert_int_equal(retry_news(&e, false, false), news[i].before);
		assert_int_equal(retry_news(&e, true, false), news[i].after);
	}
}

/* A server that answers other calls may mean the request with its 500. */
static void a_500_with_words_is_no_full_failure(void **state)
{
	struct err        e;
	struct retry_case c = { .err = &e, .retries = 2, .left_us = INT64_MAX, .serves = true };

	(void)state;
	err_set(&e, ERR_UPSTREAM_ERROR, NULL, "image input is not supported");
	e.upstream_status = 500;
	assert_int_equal(retry_news(&e, false, true), HEALTH_FAILED); /* a page, not an error */
	e.explained = true;
	assert_int_equal(retry_news(&e, false, true), HEALTH_UNSURE);
	assert_int_equal(retry_news(&e, true, true), HEALTH_NEITHER);
	assert_int_equal(retry_news(&e, false, false), HEALTH_FAILED);
	assert_int_equal(retry_decide(&c).next, RETRY_SAME);
	c.again = 1;
	assert_int_equal(retry_decide(&c).next, RETRY_STOP);
	c.other = true;
	assert_int_equal(retry_decide(&c).next, RETRY_OTHER);
	c.other = c.serves = false;
	assert_int_equal(retry_decide(&c).next, RETRY_SAME);
	e.upstream_status = 502;
	assert_int_equal(retry_news(&e, false, true), HEALTH_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_has_its_next_step),
		cmocka_unit_test(a_failure_tells_of_health_or_does_not),
		cmocka_unit_test(a_500_with_words_is_no_full_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
