/* Calls to a scripted server: answers, cuts, deadlines, pause, cancel, reuse. */
#include "base/clock.h"
#include "base/limits.h"
#include "tests/unit/heard.h"
#include "upstream/internal.h"
#include "upstream/upstream.h"

#include <errno.h>

static void do_later(struct heard *h, void (*fn)(struct timer *t), int64_t us)
{
	h->later.fn = fn;
	timer_start(h->net.loop, &h->later, us);
}

/* has_come: whether data has come; as long as none has, what was to be done is tried again. */
static bool has_come(struct heard *h)
{
	if (h->data.len == 0)
		timer_start(h->net.loop, &h->later, 1000);
	return h->data.len > 0;
}

/* --- one call, one script --- */

/* clang-format off */
#define OK_JSON   .status = 200, .type = "application/json"
#define ABC       OK_JSON, .data = "abc"
#define CUT       .code = ERR_STREAM_INCOMPLETE, ABC
#define NO_ANSWER .code = ERR_UPSTREAM_BAD_RESPONSE, .data = ""

static const struct {
	const char            *why;
	struct step            script[8];
	bool                   stream;
	struct upstream_limits limits;
	enum errc              code;
	int                    status;
	const char            *type;
	const char            *data;
	int64_t                retry_ms;
	const char            *says; /* in its error's text */
} calls[] = {
	{ .why = "a plain answer",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 2\r\n\r\n{}" }, { ACT_HOLD, "" } },
	  OK_JSON, .data = "{}" },
	{ .why = "a stream in single bytes",
	  .script = { ASKED, { ACT_SPLIT, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
					 "Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n3\r\n x\n\r\n0\r\n\r\n" } },
	  .stream = true, .status = 200, .type = "text/event-stream", .data = "data: x\n" },
	{ .why = "an empty body still has a head",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 204 No Content\r\n\r\n" } },
	  .status = 204, .type = "", .data = "" },
	{ .why = "heads of 1xx are passed over",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" OK_HEAD
					"Content-Length: 1\r\n\r\n1" } },
	  OK_JSON, .data = "1" },
	{ .why = "a status and its advice",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\n"
					"Content-Length: 1\r\n\r\nx" } },
	  .status = 429, .type = "", .data = "x", .retry_ms = 7000 },
	{ .why = "advice in milliseconds is finer",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nretry-after-ms: 1500.5\r\n"
					"Content-Length: 1\r\n\r\nx" } },
	  .status = 503, .type = "", .data = "x", .retry_ms = 1500 },
	{ .why = "advice without sense is capped",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 503 Busy\r\nRetry-After: 99999999999\r\n"
					"Content-Length: 1\r\n\r\nx" } },
	  .status = 503, .type = "", .data = "x", .retry_ms = (int64_t)24 * 3600 * 1000 },
	{ .why = "redirects are not followed",
	  .script = { ASKED, { ACT_SEND, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
					"Content-Length: 0\r\n\r\n" } },
	  .status = 302, .type = "", .data = "" },
	{ .why = "compression was not asked for",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx" } },
	  NO_ANSWER },
	{ .why = "closed without an answer",
	  .script = { ASKED, { ACT_CLOSE, "" } },
	  NO_ANSWER },
	{ .why = "closed behind the head",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 10\r\n\r\n" }, { ACT_CLOSE, "" } },
	  NO_ANSWER },
	{ .why = "cut in a body with a length",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 10\r\n\r\nabc" }, { ACT_CLOSE, "" } },
	  CUT },
	{ .why = "cut in a body of chunks",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n" },
		      { ACT_CLOSE, "" } },
	  .stream = true, CUT },
	{ .why = "reset before an answer",
	  .script = { ASKED, { ACT_RESET, "" } },
	  NO_ANSWER },
	{ .why = "a body that ends with the connection is whole",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "\r\nabc" }, { ACT_CLOSE, "" } },
	  ABC },
	{ .why = "a body that would end with the connection, and is reset",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "\r\nabc" }, { ACT_RESET, "" } },
	  .stream = true, CUT },
	{ .why = "not HTTP at all",
	  .script = { ASKED, { ACT_SEND, "SSH-2.0-x\r\n\r\n" }, { ACT_CLOSE, "" } },
	  NO_ANSWER, .says = "no HTTP/1 status line" },
	{ .why = "broken chunks behind data",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n" },
		      { ACT_HOLD, "" } },
	  CUT, .says = "a chunk without a size" },
	{ .why = "an answer that is announced as too large",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 99999999999\r\n\r\nabc" },
		      { ACT_HOLD, "" } },
	  NO_ANSWER },
	{ .why = "silence from the start",
	  .script = { ASKED, { ACT_HOLD, "" } },
	  .limits = { .first_byte_us = SECOND / 20, .idle_us = 60 * SECOND, .total_us = 90 * SECOND },
	  .code = ERR_FIRST_BYTE_TIMEOUT, .data = "" },
	{ .why = "a head without a body is silence too",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 9\r\n\r\n" }, { ACT_HOLD, "" } },
	  .limits = { .first_byte_us = SECOND / 20 }, .code = ERR_FIRST_BYTE_TIMEOUT, .data = "" },
	{ .why = "silence in the middle, with a first-byte limit that is longer",
	  .script = { ASKED, { ACT_SEND, OK_HEAD "Content-Length: 9\r\n\r\nabc" }, { ACT_HOLD, "" } },
	  .limits = { .first_byte_us = 60 * SECOND, .idle_us = SECOND / 20 },
	  .code = ERR_IDLE_TIMEOUT, ABC },
};
/* clang-format on */

static void calls_end_as_their_server_behaves(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct heard h;

		heard_open(&h, calls[i].script);
		start(&h, calls[i].stream, calls[i].limits);
		loop_run(h.net.loop);

		if (h.err.code != calls[i].code)
			fail_msg("%s: code %d, %s", calls[i].why, (int)h.err.code, h.err.text);
		if (!str_is(buf_view(&h.data), calls[i].data))
			fail_msg("%s: data %.*s", calls[i].why, STR_ARG(buf_view(&h.data)));
		assert_int_equal(h.dones, 1);
		assert_int_equal(h.status, calls[i].status);
		assert_int_equal(h.retry_ms, calls[i].retry_ms);
		assert_string_equal(h.type, calls[i].type ? calls[i].type : "");
		assert_null(strstr(h.err.text, "127.0.0.1"));
		if (calls[i].says && !strstr(h.err.text, calls[i].says))
			fail_msg("%s: %s", calls[i].why, h.err.text);
		heard_close(&h);
	}
}

/* The limit counts from the start, so on a busy machine it may be over before the answer begins. */
static void an_answer_that_does_not_end_meets_the_total_limit(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, OK_HEAD "Content-Length: 9\r\n\r\nabc" },
		{ ACT_HOLD, "" },
		{ ACT_STOP, "" },
	};
	struct heard h;
	bool         heard = false;

	(void)state;
	for (int64_t total_us = SECOND / 20; !heard && total_us < 60 * SECOND; total_us *= 2) {
		heard_open(&h, script);
		start(&h, false,
		      (struct upstream_limits){ .first_byte_us = 90 * SECOND,
						.idle_us = 90 * SECOND,
						.total_us = total_us });
		loop_run(h.net.loop);
		assert_int_equal(h.err.code, ERR_TOTAL_TIMEOUT);
		heard = str_is(buf_view(&h.data), "abc");
		heard_close(&h);
	}
	assert_true(heard);
}

static void the_request_is_what_was_given_and_nothing_of_the_environment(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, OK_HEAD "Content-Length: 2\r\n\r\n{}" },
		{ ACT_STOP, "" },
	};
	struct heard h;
	char         want[512];

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	heard_open(&h, script);
	start(&h, true, no_limits);
	upstream_target_destroy(TAKE(h.target)); /* the call holds it */
	loop_run(h.net.loop);
	served_join(&h.net);
	unsetenv("http_proxy");
	unsetenv("all_proxy");

	const struct buf *seen = &h.net.server.seen;
	snprintf(want, sizeof want,
		 "POST /v1/chat/completions?a=b HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		 "Authorization: Bearer k\r\nX-Title: a b\r\nContent-Type: application/json\r\n"
		 "Accept: text/event-stream\r\nUser-Agent: parley/" PARLEY_VERSION "\r\n"
		 "Content-Length: 7\r\n\r\n{\"a\":1}",
		 h.net.server.port);
	assert_int_equal(seen->len, strlen(want));
	assert_memory_equal(seen->data, want, strlen(want));
	assert_int_equal(h.err.code, ERR_OK);
	heard_close(&h);
}

static const struct step nothing[] = { { ACT_STOP, "" } };

static void a_refused_connection_is_said_without_its_address(void **state)
{
	struct heard h;

	(void)state;
	heard_open(&h, nothing);
	served_join(&h.net); /* nobody listens there any more */
	start(&h, false, (struct upstream_limits){ .total_us = 90 * SECOND });
	loop_run(h.net.loop);
	assert_int_equal(h.err.code, ERR_UPSTREAM_CONNECT);
	assert_string_equal(h.err.text, "the provider refused the connection");
	heard_close(&h);
}

static void a_connection_that_does_not_come_to_stand_has_its_own_limit(void **state)
{
	struct heard       h;
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t          n = sizeof addr;
	int                listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int                fill[8];

	(void)state;
	/* With its queue full, a listener that accepts nobody lets later ones wait. */
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof addr), 0);
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &n), 0);
	for (size_t i = 0; i < ARRAY_LEN(fill); i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (connect(fill[i], (struct sockaddr *)&addr, sizeof addr) < 0)
			assert_int_equal(errno, EINPROGRESS);
	}
	heard_open(&h, nothing);
	upstream_target_destroy(h.target);
	h.target = target_for(ntohs(addr.sin_port), SECOND / 20);
	start(&h, false, (struct upstream_limits){ .first_byte_us = 90 * SECOND });
	loop_run(h.net.loop);
	assert_int_equal(h.err.code, ERR_CONNECT_TIMEOUT);
	heard_close(&h);
	for (size_t i = 0; i < ARRAY_LEN(fill); i++)
		close(fill[i]);
	close(listener);
}

/* --- an owner who does not wait for the end --- */

static const struct step unfinished[] = {
	ASKED,
	{ ACT_SEND, OK_HEAD "Content-Length: 9\r\n\r\nabc" },
	{ ACT_HOLD, "" },
	{ ACT_STOP, "" },
};

static void the_owner_can_end_a_call_from_its_data(void **state)
{
	struct heard h;

	(void)state;
	heard_open(&h, unfinished);
	h.refuse = true;
	start(&h, false, no_limits);
	loop_run(h.net.loop);
	assert_int_equal(h.dones, 1);
	assert_int_equal(h.err.code, ERR_CANCELLED);
	served_join(&h.net);
	assert_true(h.net.server.held);
	heard_close(&h);
}

static void cancel_and_stop(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	if (!has_come(h))
		return;
	upstream_cancel(h->call);
	loop_stop(h->net.loop);
}

static void a_cancel_closes_the_connection_and_says_nothing(void **state)
{
	struct heard h;

	(void)state;
	heard_open(&h, unfinished);
	start(&h, true, (struct upstream_limits){ .total_us = 90 * SECOND });
	do_later(&h, cancel_and_stop, 0);
	loop_run(h.net.loop);
	assert_int_equal(h.dones, 0);
	served_join(&h.net); /* comes back only because the connection was closed */
	assert_true(h.net.server.held);
	heard_close(&h);
}

/* --- pause --- */

static void go_on(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	h->pause_at_data = false;
	upstream_pause(h->call, false);
}

static void a_paused_call_holds_the_sender_back_and_does_not_idle_out(void **state)
{
	static char              block[65536];
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, OK_HEAD "\r\n" },
		{ ACT_FLOOD, block },
		{ ACT_CLOSE, "" },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	memset(block, 'x', sizeof block - 1);
	heard_open(&h, script);
	h.pause_at_data = true;
	start(&h, true, (struct upstream_limits){ .idle_us = SECOND });
	do_later(&h, go_on, 2 * SECOND);
	loop_run(h.net.loop);
	served_join(&h.net);
	/* While paused, what the kernel buffers is all that the sender got rid of. */
	assert_true(h.net.server.flooded < 32u << 20);
	assert_int_equal(h.err.code, ERR_OK);
	assert_int_equal(h.data.len, h.net.server.flooded);
	heard_close(&h);
}

static void go_on_after_reset(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	h->used_us = clock_thread_us() - h->used_us;
	go_on(t);
}

static void reset_it(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	if (!has_come(h))
		return;
	atomic_store(&h->net.server.go, true);
	h->used_us = clock_thread_us();
	do_later(h, go_on_after_reset, SECOND / 2);
}

static void a_paused_call_that_breaks_while_it_sends_costs_nothing(void **state)
{
	static const struct step script[] = {
		{ ACT_ACCEPT, "" }, { ACT_SEND, OK_HEAD "\r\nabc" },
		{ ACT_GATE, "" },   { ACT_RESET, "" },
		{ ACT_STOP, "" },
	};
	struct heard h;
	size_t       n = 32u << 20; /* more than the kernel takes */
	char        *body = calloc(1, n);

	(void)state;
	assert_non_null(body);
	heard_open(&h, script);
	h.pause_at_data = true;
	start_with(&h, (struct str){ body, n }, true, no_limits);
	do_later(&h, reset_it, 0);
	loop_run(h.net.loop);
	assert_int_equal(h.err.code, ERR_STREAM_INCOMPLETE);
	assert_true(h.used_us < SECOND / 4);
	heard_close(&h);
	free(body);
}

static void refuse_after_pause(struct timer *t)
{
	container_of(t, struct heard, later)->refuse = true;
	go_on(t);
}

static void an_owner_that_refuses_what_comes_after_a_pause_is_still_told_the_end(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, OK_HEAD "\r\na" },
		{ ACT_FLOOD, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	heard_open(&h, script);
	h.pause_at_data = true;
	start(&h, true, no_limits);
	do_later(&h, refuse_after_pause, SECOND / 5);
	loop_run(h.net.loop);
	assert_int_equal(h.dones, 1);
	assert_int_equal(h.err.code, ERR_CANCELLED);
	assert_int_equal(h.data.data[0], 'a');
	assert_int_equal(h.data.data[h.data.len - 1], 'b');
	heard_close(&h);
}

/* --- release --- */

static void release(struct heard *h)
{
	struct buf body;

	buf_init(&body, 16);
	assert_true(buf_text(&body, "x"));
	upstream_release_take(TAKE(h->call), &body);
	assert_null(body.data);
}

static void release_and_wait(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	if (has_come(h))
		release(h);
}

static void stop_loop(struct timer *t)
{
	loop_stop(container_of(t, struct served, watchdog)->loop);
}

static void a_released_call_is_closed_when_its_body_does_not_end(void **state)
{
	struct heard h;

	(void)state;
	heard_open(&h, unfinished);
	start(&h, true, (struct upstream_limits){ .total_us = 90 * SECOND });
	do_later(&h, release_and_wait, 0);
	upstream_target_destroy(TAKE(h.target));
	h.net.watchdog.fn = stop_loop;
	timer_start(h.net.loop, &h.net.watchdog, SECOND / 2);
	loop_run(h.net.loop);
	assert_int_equal(h.dones, 0);
	served_join(&h.net);
	assert_true(h.net.server.held);
	heard_close(&h);
}

static void start_when_idle(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	if (h->net.upstreams->idle_count == 0) {
		timer_start(h->net.loop, t, 1000);
		return;
	}
	h->data.len = 0;
	h->heads = 0;
	start(h, true, no_limits);
}

static void release_and_start_again(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, later);

	if (!has_come(h))
		return;
	release(h);
	atomic_store(&h->net.server.go, true);
	do_later(h, start_when_idle, 0);
}

static void a_released_call_leaves_its_connection_to_the_next(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, OK_HEAD "Content-Length: 4\r\n\r\nab" },
		{ ACT_GATE, "" },
		{ ACT_SEND, "cd" },
		{ ACT_READ, "" },
		{ ACT_SEND, OK_HEAD "Content-Length: 1\r\n\r\ne" },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	heard_open(&h, script);
	start(&h, true, no_limits);
	do_later(&h, release_and_start_again, 0);
	loop_run(h.net.loop);
	assert_int_equal(h.dones, 1);
	assert_true(str_is(buf_view(&h.data), "e"));
	served_join(&h.net);
	assert_int_equal(h.net.server.accepted, 1);
	heard_close(&h);
}

/* --- targets --- */

static const struct {
	const char *why;
	const char *url;
	const char *header;
	const char *proxy;
	bool        ok;
} targets[] = {
	{ "http", "http://h/v1", NULL, NULL, true },
	{ "https with a port", "https://h:8443/v1", "X-A: b", NULL, true },
	{ "an IPv6 address", "http://[::1]:8000/v1", NULL, NULL, true },
	{ "a proxy", "http://h/v1", NULL, "http://p:3128", true },
	{ "no scheme", "h/v1", NULL, NULL, false },
	{ "another scheme", "file:///etc/passwd", NULL, NULL, false },
	{ "a scheme that is nearly right", "httpx://h/", NULL, NULL, false },
	{ "no host", "http:///v1", NULL, NULL, false },
	{ "one slash, which libcurl takes for two", "https:/h/v1", NULL, NULL, false },
	{ "one slash, and two later", "https:/h/v1?u=http://x/", NULL, NULL, false },
	{ "a user name", "http://u:p@h/v1", NULL, NULL, false },
	{ "a fragment", "http://h/v1#x", NULL, NULL, false },
	{ "a line break in the URL", "http://h/v1\r\nX: y", NULL, NULL, false },
	{ "a space in the URL", "http://h/v 1", NULL, NULL, false },
	{ "nothing", "", NULL, NULL, false },
	{ "a line break in a value", "http://h/", "X-A: b\r\nX-C: d", NULL, false },
	{ "a bare line feed in a value", "http://h/", "X-A: b\nX-C: d", NULL, false },
	{ "a tab in a value", "http://h/", "X-A: b\tc", NULL, false },
	{ "an empty value", "http://h/", "X-A: ", NULL, false },
	{ "no colon", "http://h/", "X-A", NULL, false },
	{ "a space in the name", "http://h/", "X A: b", NULL, false },
	{ "no name", "http://h/", ": b", NULL, false },
	{ "libcurl's spelling of an empty header", "http://h/", "X-A;", NULL, false },
	{ "the length is ours", "http://h/", "content-LENGTH: 5", NULL, false },
	{ "the framing is ours", "http://h/", "Transfer-Encoding: chunked", NULL, false },
	{ "compression is not ours to ask for", "http://h/", "Accept-Encoding: gzip", NULL, false },
	{ "a line break in the proxy", "http://h/", NULL, "http://p\n", false },
};

static void targets_refuse_what_could_inject(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		struct upstream_target *t = NULL;
		struct err              e = { 0 };
		enum errc               rc;

		rc = upstream_target_create(
			&(struct upstream_target_options){ .url = targets[i].url,
							   .headers = &targets[i].header,
							   .header_count =
								   targets[i].header ? 1 : 0,
							   .proxy = targets[i].proxy,
							   .connect_us = SECOND },
			&t, &e);
		if (rc != (targets[i].ok ? ERR_OK : ERR_INVALID_VALUE))
			fail_msg("%s: code %d, %s", targets[i].why, (int)rc, e.text);
		upstream_target_destroy(t);
	}
}

static void urls_are_safe_with_tls_or_on_this_machine(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		bool        safe;
	} urls[] = {
		{ "https://h", true },
		{ "http://h", false },
		{ "http://localhost", true },
		{ "http://localhost:80/a@b", true },
		{ "http://[::1]/", true },
		{ "http://localhost:x@h/", false },
		{ "http://localhost.h", false },
		{ "a", false },
		{ "", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		char *copy = strdup(urls[i].url); /* nothing behind its end is read */

		assert_non_null(copy);
		if (upstream_url_is_safe(copy) != urls[i].safe)
			fail_msg("%s", copy);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_end_as_their_server_behaves),
		cmocka_unit_test(an_answer_that_does_not_end_meets_the_total_limit),
		cmocka_unit_test(the_request_is_what_was_given_and_nothing_of_the_environment),
		cmocka_unit_test(a_refused_connection_is_said_without_its_address),
		cmocka_unit_test(a_connection_that_does_not_come_to_stand_has_its_own_limit),
		cmocka_unit_test(the_owner_can_end_a_call_from_its_data),
		cmocka_unit_test(a_cancel_closes_the_connection_and_says_nothing),
		cmocka_unit_test(a_paused_call_holds_the_sender_back_and_does_not_idle_out),
		cmocka_unit_test(a_paused_call_that_breaks_while_it_sends_costs_nothing),
		cmocka_unit_test(
			an_owner_that_refuses_what_comes_after_a_pause_is_still_told_the_end),
		cmocka_unit_test(a_released_call_is_closed_when_its_body_does_not_end),
		cmocka_unit_test(a_released_call_leaves_its_connection_to_the_next),
		cmocka_unit_test(targets_refuse_what_could_inject),
		cmocka_unit_test(urls_are_safe_with_tls_or_on_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
