/* What a provider sends behind an answer reaches no other call: each border at which a read may end,
 * before the connection is kept and before it is taken again. */
#include "base/metric.h"
#include "tests/unit/heard.h"
#include "upstream/internal.h"

enum { BIGGEST = 80 * 1024 };

/* answer_put: a whole answer of exactly n bytes, whose body repeats a letter. */
static void answer_put(struct buf *to, size_t n, char letter)
{
	static char head[128];
	size_t      body = n;
	int         len;

	do {
		body--;
		len = snprintf(head, sizeof head, OK_HEAD "Content-Length: %zu\r\n\r\n", body);
	} while ((size_t)len + body > n);
	assert_int_equal((size_t)len + body, n);
	assert_true(buf_add(to, head, (size_t)len));
	for (size_t i = 0; i < body; i++)
		assert_true(buf_add(to, &letter, 1));
}

/* texts: what the scripts send. */
static char first[1024], doubled[BIGGEST], second[1024], surplus[512];

static void text_put(char *to, size_t size, size_t n, char letter, size_t more)
{
	struct buf b;

	buf_init(&b, size);
	answer_put(&b, n, letter);
	if (more > 0)
		answer_put(&b, more, 'X');
	assert_true(buf_add(&b, "", 1));
	memcpy(to, b.data, b.len);
	buf_finish(&b);
}

/* is_all: the answer is the one that repeats the letter. */
static void is_all(const struct heard *h, char letter, const char *why)
{
	if (h->err.code != ERR_OK || h->data.len == 0)
		fail_msg("%s: %zu bytes, %s", why, h->data.len, h->err.text);
	for (size_t i = 0; i < h->data.len; i++)
		if (h->data.data[i] != letter)
			fail_msg("%s: %c among the %c", why, h->data.data[i], letter);
}

static void wait_told(struct heard *h)
{
	int64_t left_ms = 10000;

	while (!atomic_load(&h->net.server.told) && left_ms-- > 0)
		poll(NULL, 0, 1);
	assert_true(atomic_load(&h->net.server.told));
	atomic_store(&h->net.server.told, false);
}

/* again: the next call, with ears for it alone. */
static void again(struct heard *h, bool stream)
{
	h->data.len = 0;
	h->heads = h->dones = 0;
	start(h, stream, no_limits);
}

static int64_t surplus_count(void)
{
	struct buf b;
	long long  n = 0;

	buf_init(&b, 1 << 20);
	assert_true(metric_print(&b, false) && buf_add(&b, "", 1));
	const char *at = strstr(b.data, "parley_upstream_surplus_total{upstream=\"p\"} ");
	if (at)
		n = strtoll(strchr(at, '}') + 2, NULL, 10);
	buf_finish(&b);
	return n;
}

static const struct {
	const char *why;
	size_t      bytes; /* of the answer, before the surplus */
	bool        stream;
} borders[] = {
	{ "within a read", 700, false },
	{ "within a read of a stream", 700, true },
	{ "1,024 bytes", 1024, false },
	{ "1,024 bytes of a stream", 1024, true },
	{ "16 KiB", READ_OF_STREAM, false },
	{ "16 KiB of a stream, which is one read", READ_OF_STREAM, true },
	{ "two reads of a stream", 2 * READ_OF_STREAM, true },
	{ "64 KiB, which is one read", READ_AT_ONCE, false },
	{ "64 KiB of a stream, which is a step of the loop", READ_AT_ONCE, true },
};

static size_t row; /* of borders */

static void start_the_waiting_call(struct heard *h)
{
	is_all(h, 'B', borders[row].why);
	h->then = NULL;
	again(h, borders[row].stream);
}

static void start_the_doubled_call(struct heard *h)
{
	is_all(h, 'A', borders[row].why);
	assert_int_equal(h->net.upstreams->idle_count, 1);
	h->then = start_the_waiting_call;
	again(h, borders[row].stream);
	wait_told(h); /* the loop stands still, so both answers are there before it reads */
}

static void a_call_that_waits_for_a_place_gets_its_own_answer(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, first },
		{ ACT_READ, "" },
		{ ACT_SEND, doubled },
		{ ACT_TELL, "" },
		ASKED,
		{ ACT_SEND, second },
		{ ACT_STOP, "" },
	};

	(void)state;
	for (row = 0; row < ARRAY_LEN(borders); row++) {
		struct heard h;
		int64_t      before = surplus_count();

		text_put(doubled, sizeof doubled, borders[row].bytes, 'B', 400);
		heard_open(&h, script);
		h.then = start_the_doubled_call;
		start(&h, borders[row].stream, no_limits);
		loop_run(h.net.loop);
		is_all(&h, 'C', borders[row].why);
		assert_int_equal(h.net.upstreams->idle_count, 0);
		assert_int_equal(surplus_count(), before + 1);
		heard_close(&h);
	}
}

static void start_behind_what_came(struct heard *h)
{
	is_all(h, 'A', "the first call");
	assert_int_equal(h->net.upstreams->idle_count, 1);
	atomic_store(&h->net.server.go, true);
	wait_told(h); /* the loop stands still, so only the next call can look at the connection */
	h->then = NULL;
	again(h, h->streams);
}

/* after_idle: two calls, between which the server's script says something. */
static void after_idle(const struct step *script, bool stream, bool is_surplus)
{
	struct heard h;
	int64_t      before = surplus_count();

	heard_open(&h, script);
	h.then = start_behind_what_came;
	h.streams = stream;
	start(&h, stream, no_limits);
	loop_run(h.net.loop);
	is_all(&h, 'C', "the second call");
	assert_int_equal(surplus_count() - before, is_surplus);
	assert_int_equal(target_is_alone(h.target, loop_now_us(h.net.loop)), is_surplus);
	heard_close(&h);
}

static void what_comes_while_the_connection_is_idle_is_found_when_it_is_taken(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, first },
		{ ACT_GATE, "" },
		{ ACT_SEND, surplus },
		{ ACT_TELL, "" },
		ASKED,
		{ ACT_SEND, second },
		{ ACT_STOP, "" },
	};

	(void)state;
	after_idle(script, false, true);
	after_idle(script, true, true);
}

/* RFC 9110, section 15.5.9: a server may say 408 on an idle connection before it closes it. */
static void a_farewell_is_no_surplus(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, first },
		{ ACT_GATE, "" },
		{ ACT_SEND, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n" },
		{ ACT_TELL, "" },
		{ ACT_CLOSE, "" },
		ASKED,
		{ ACT_SEND, second },
		{ ACT_STOP, "" },
	};

	(void)state;
	after_idle(script, false, false);
	after_idle(script, true, false);
}

static int calls_made;

static void start_after_the_surplus(struct heard *h)
{
	int call = ++calls_made;

	is_all(h, call == 1 ? 'B' : 'C', "a call after a surplus");
	assert_int_equal(h->net.upstreams->idle_count, call < 4 ? 0 : 1);
	if (call == 3) /* the while is over */
		atomic_store(&h->target->alone_until_us, loop_now_us(h->net.loop));
	if (call == 4)
		h->then = NULL;
	again(h, call % 2);
}

static void after_a_surplus_no_connection_is_kept_for_a_while(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, doubled },
		ASKED,
		{ ACT_SEND, second },
		ASKED,
		{ ACT_SEND, second },
		ASKED,
		{ ACT_SEND, second },
		{ ACT_READ, "" },
		{ ACT_SEND, second },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	calls_made = 0;
	text_put(doubled, sizeof doubled, 300, 'B', 300);
	heard_open(&h, script);
	h.then = start_after_the_surplus;
	start(&h, false, no_limits);
	loop_run(h.net.loop);
	is_all(&h, 'C', "a call on a connection that was kept");
	served_join(&h.net);
	assert_int_equal(h.net.server.accepted, 4);
	heard_close(&h);
}

static int prepare(void **state)
{
	(void)state;
	text_put(first, sizeof first, 200, 'A', 0);
	text_put(second, sizeof second, 200, 'C', 0);
	text_put(surplus, sizeof surplus, 200, 'X', 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_waits_for_a_place_gets_its_own_answer),
		cmocka_unit_test(what_comes_while_the_connection_is_idle_is_found_when_it_is_taken),
		cmocka_unit_test(a_farewell_is_no_surplus),
		cmocka_unit_test(after_a_surplus_no_connection_is_kept_for_a_while),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
