/* Transfers of libcurl on a loop: ended by the peer, by time and by us. */
#include "base/clock.h"
#include "base/limits.h"
#include "loop/transfer.h"
#include "tests/unit/loopback.h"

#include <curl/curl.h>

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nyo"

/* One transfer with everything that is heard of it. */
struct fetch {
	struct transfer   transfer;
	struct transfers *transfers;
	struct loop      *loop;
	struct timer      watchdog;
	struct timer      later;
	struct buf        data;
	size_t            first; /* bytes that came before it was paused */
	int               dones;
	int               code;
	int              *running; /* of several: the last one stops the loop */
	bool              pause;
	bool              timed_out;
};

static void on_done(struct transfer *t, int code)
{
	struct fetch *f = container_of(t, struct fetch, transfer);

	CHECK(!t->link.in);
	f->dones++;
	f->code = code;
	if (--*f->running == 0)
		loop_stop(f->loop);
}

static void on_watchdog(struct timer *t)
{
	struct fetch *f = container_of(t, struct fetch, watchdog);

	f->timed_out = true;
	loop_stop(f->loop);
}

static size_t on_bytes(char *bytes, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;

	if (f->pause) {
		f->first = f->data.len;
		f->pause = false;
		timer_start(f->loop, &f->later, 2000);
		return CURL_WRITEFUNC_PAUSE;
	}
	CHECK(buf_add(&f->data, bytes, size * n));
	return size * n;
}

static int running;

static void fetch_start(struct fetch *f, struct transfers *ts, unsigned port)
{
	char url[64];

	*f = (struct fetch){ .transfers = ts, .loop = transfers_loop(ts), .running = &running };
	buf_init(&f->data, MIB);
	f->transfer.done = on_done;
	f->transfer.easy = curl_easy_init();
	assert_non_null(f->transfer.easy);
	snprintf(url, sizeof url, "http://127.0.0.1:%u/", port);
	curl_easy_setopt(f->transfer.easy, CURLOPT_URL, url);
	curl_easy_setopt(f->transfer.easy, CURLOPT_PROXY, "");
	curl_easy_setopt(f->transfer.easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(f->transfer.easy, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(f->transfer.easy, CURLOPT_WRITEDATA, f);
	f->watchdog.fn = on_watchdog;
	timer_start(f->loop, &f->watchdog, 20 * 1000000);
}

static void fetch_finish(struct fetch *f)
{
	timer_stop(f->loop, &f->watchdog);
	timer_stop(f->loop, &f->later);
	assert_false(f->timed_out);
	curl_easy_cleanup(f->transfer.easy);
	buf_finish(&f->data);
}

static struct transfers *transfers_new(struct loop **ret_loop)
{
	struct transfers *ts = NULL;
	struct err        e;

	running = 1;
	assert_int_equal(loop_create(0, ret_loop, &e), ERR_OK);
	assert_int_equal(transfers_create(*ret_loop, &ts, &e), ERR_OK);
	assert_ptr_equal(transfers_loop(ts), *ret_loop);
	return ts;
}

static void a_transfer_is_done_when_the_answer_is_in(void **state)
{
	(void)state;
	static const struct step script[] = {
		{ ACT_ACCEPT, NULL }, { ACT_READ, NULL }, { ACT_SPLIT, ANSWER },
		{ ACT_HOLD, NULL },   { ACT_STOP, NULL },
	};
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f;

	loopback_start(&server, script);
	struct transfers *ts = transfers_new(&l);
	fetch_start(&f, ts, server.port);
	assert_true(transfer_start(ts, &f.transfer));
	assert_non_null(f.transfer.link.in);
	assert_int_equal(f.dones, 0); /* never from within */
	loop_run(l);
	assert_int_equal(f.dones, 1);
	assert_int_equal(f.code, CURLE_OK);
	assert_true(str_is(buf_view(&f.data), "yo"));
	transfer_cancel(ts, &f.transfer); /* fine when it is over */
	assert_int_equal(f.dones, 1);
	fetch_finish(&f);
	transfers_destroy(ts); /* closes the connection that was kept */
	loopback_join(&server);
	loopback_finish(&server);
}

static void failures_are_told_by_their_code(void **state)
{
	(void)state;
	/* clang-format off */
	static const struct {
		const char *why;
		struct step script[6];
		int         code;
	} cases[] = {
		{ "hangs up before the answer",
		  { { ACT_ACCEPT, NULL }, { ACT_READ, NULL }, { ACT_CLOSE, NULL }, { ACT_STOP,
		    NULL } },
		  CURLE_GOT_NOTHING },
		{ "resets", { { ACT_ACCEPT, NULL }, { ACT_READ, NULL }, { ACT_RESET, NULL },
		  { ACT_STOP, NULL } },
		  CURLE_RECV_ERROR },
		{ "hangs up within the answer",
		  { { ACT_ACCEPT, NULL }, { ACT_READ, NULL },
		    { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyo" }, { ACT_CLOSE,
		      NULL },
		    { ACT_STOP, NULL } },
		  CURLE_PARTIAL_FILE },
		{ "says nothing in time",
		  { { ACT_ACCEPT, NULL }, { ACT_READ, NULL }, { ACT_HOLD, NULL }, { ACT_STOP,
		    NULL } },
		  CURLE_OPERATION_TIMEDOUT },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		OWNED(loop) l = NULL;
		struct loopback server;
		struct fetch    f;

		print_message("case: %s\n", cases[i].why);
		loopback_start(&server, cases[i].script);
		struct transfers *ts = transfers_new(&l);
		fetch_start(&f, ts, server.port);
		if (cases[i].code == CURLE_OPERATION_TIMEDOUT)
			curl_easy_setopt(f.transfer.easy, CURLOPT_TIMEOUT_MS, 60L);
		int64_t start = clock_mono_us();
		assert_true(transfer_start(ts, &f.transfer));
		loop_run(l);
		assert_int_equal(f.dones, 1);
		assert_int_equal(f.code, cases[i].code);
		if (cases[i].code == CURLE_OPERATION_TIMEDOUT)
			assert_true(clock_mono_us() - start >= 60 * 1000);
		fetch_finish(&f);
		transfers_destroy(ts);
		loopback_join(&server);
		loopback_finish(&server);
	}
}

static void nobody_listening_is_an_error_and_not_a_hang(void **state)
{
	(void)state;
	static const struct step script[] = { { ACT_STOP, NULL } };
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f;

	loopback_start(&server, script);
	unsigned port = server.port;
	loopback_join(&server);
	loopback_finish(&server);

	struct transfers *ts = transfers_new(&l);
	fetch_start(&f, ts, port);
	assert_true(transfer_start(ts, &f.transfer));
	loop_run(l);
	assert_int_equal(f.code, CURLE_COULDNT_CONNECT);
	fetch_finish(&f);
	transfers_destroy(ts);
}

/* Looks until the server has the connection, or has lost it again. */
struct looker {
	struct timer     timer;
	struct loopback *server;
	struct fetch    *fetch;
	bool             cancelled;
	int              looks;
};

static void look(struct timer *t)
{
	struct looker *k = container_of(t, struct looker, timer);

	if (!k->cancelled && k->server->accepted == 1) {
		transfer_cancel(k->fetch->transfers, &k->fetch->transfer);
		k->cancelled = true;
	}
	if (k->cancelled && k->server->held)
		loop_stop(k->fetch->loop);
	else if (++k->looks < 10000)
		timer_start(k->fetch->loop, t, 1000);
}

static void cancel_closes_the_connection_at_once(void **state)
{
	(void)state;
	static const struct step script[] = {
		{ ACT_ACCEPT, NULL },
		{ ACT_HOLD, NULL },
		{ ACT_STOP, NULL },
	};
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f;

	loopback_start(&server, script);
	struct transfers *ts = transfers_new(&l);
	fetch_start(&f, ts, server.port);
	struct looker k = { .timer = { .fn = look }, .server = &server, .fetch = &f };
	assert_true(transfer_start(ts, &f.transfer));
	timer_start(l, &k.timer, 1000);
	loop_run(l);
	timer_stop(l, &k.timer);
	assert_true(server.held);
	assert_int_equal(f.dones, 0);
	assert_null(f.transfer.link.in);
	fetch_finish(&f);
	transfers_destroy(ts);
	loopback_join(&server);
	loopback_finish(&server);
}

static void a_cancel_before_anything_happened_is_fine(void **state)
{
	(void)state;
	static const struct step script[] = { { ACT_STOP, NULL } };
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f;

	loopback_start(&server, script);
	struct transfers *ts = transfers_new(&l);
	fetch_start(&f, ts, server.port);
	transfer_cancel(ts, &f.transfer);
	assert_true(transfer_start(ts, &f.transfer));
	transfer_cancel(ts, &f.transfer);
	transfer_cancel(ts, &f.transfer);
	transfer_unpause(ts, &f.transfer);
	loop_stop(l);
	loop_run(l);
	assert_int_equal(f.dones, 0);
	fetch_finish(&f);
	transfers_destroy(ts);
	loopback_join(&server);
	loopback_finish(&server);
}

static void go_on(struct timer *t)
{
	struct fetch *f = container_of(t, struct fetch, later);

	transfer_unpause(f->transfers, &f->transfer);
}

static void a_paused_transfer_goes_on(void **state)
{
	(void)state;
	static const struct step script[] = {
		{ ACT_ACCEPT, NULL }, { ACT_READ, NULL }, { ACT_SEND, ANSWER },
		{ ACT_HOLD, NULL },   { ACT_STOP, NULL },
	};
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f;

	loopback_start(&server, script);
	struct transfers *ts = transfers_new(&l);
	fetch_start(&f, ts, server.port);
	f.pause = true;
	f.later.fn = go_on;
	assert_true(transfer_start(ts, &f.transfer));
	loop_run(l);
	assert_int_equal(f.code, CURLE_OK);
	assert_int_equal(f.first, 0);
	assert_true(str_is(buf_view(&f.data), "yo"));
	fetch_finish(&f);
	transfers_destroy(ts);
	loopback_join(&server);
	loopback_finish(&server);
}

/* More than there are multi handles, so that each is used and one is used again. */
enum { MANY = 20 };

static void many_transfers_end_each_by_itself(void **state)
{
	(void)state;
	static struct step script[4 * MANY + 1];
	OWNED(loop) l = NULL;
	struct loopback server;
	struct fetch    f[MANY];

	for (size_t i = 0; i < MANY; i++) {
		script[4 * i] = (struct step){ ACT_ACCEPT, NULL };
		script[4 * i + 1] = (struct step){ ACT_READ, NULL };
		script[4 * i + 2] = (struct step){ ACT_SEND, "HTTP/1.0 200 OK\r\n\r\nyo" };
		script[4 * i + 3] = (struct step){ ACT_CLOSE, NULL };
	}
	script[4 * MANY].act = ACT_STOP;
	loopback_start(&server, script);
	struct transfers *ts = transfers_new(&l);
	running = MANY;
	for (size_t i = 0; i < MANY; i++) {
		fetch_start(&f[i], ts, server.port);
		assert_true(transfer_start(ts, &f[i].transfer));
	}
	loop_run(l);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(f[i].dones, 1);
		assert_int_equal(f[i].code, CURLE_OK);
		assert_true(str_is(buf_view(&f[i].data), "yo"));
		fetch_finish(&f[i]);
	}
	transfers_destroy(ts);
	loopback_join(&server);
	loopback_finish(&server);
}

/* Sixteen handles take turns, so that the seventeenth transfer gets the first one's connection. */
enum { TURNS = 16 };

struct chain {
	struct timer      timer;
	struct transfers *transfers;
	struct loopback  *server;
	struct fetch      fetch[TURNS + 1];
	int               started;
};

/* One after the other, and the last one when the server has seen its first connection end. */
static void start_next(struct timer *t)
{
	struct chain *c = container_of(t, struct chain, timer);
	int           n = c->started;
	bool          due = n == 0 || c->fetch[n - 1].dones == 1;

	if (due && (n < TURNS || c->server->held)) {
		fetch_start(&c->fetch[n], c->transfers, c->server->port);
		assert_true(transfer_start(c->transfers, &c->fetch[n].transfer));
		c->started++;
	}
	if (c->started <= TURNS)
		timer_start(transfers_loop(c->transfers), t, 1000);
}

static void bytes_behind_an_answer_are_not_the_next_one(void **state)
{
	static struct step  script[3 * TURNS + 7];
	static struct chain c;
	OWNED(loop) l = NULL;
	struct loopback server;

	(void)state;
	for (size_t i = 0; i < TURNS; i++) {
		script[3 * i] = (struct step){ ACT_ACCEPT, NULL };
		script[3 * i + 1] = (struct step){ ACT_READ, NULL };
		script[3 * i + 2] = (struct step){ ACT_SEND, ANSWER };
	}
	struct step *then = script + 3 * (size_t)TURNS;
	then[0].act = ACT_FIRST;
	then[1] = (struct step){ ACT_SEND, "data: more\n\n" };
	then[2].act = ACT_HOLD;
	then[3].act = ACT_ACCEPT;
	then[4].act = ACT_READ;
	then[5] = (struct step){ ACT_SEND, ANSWER };
	then[6].act = ACT_STOP;
	loopback_start(&server, script);
	c = (struct chain){ .timer = { .fn = start_next }, .server = &server };
	c.transfers = transfers_new(&l);
	running = TURNS + 1;
	timer_start(l, &c.timer, 0);
	loop_run(l);
	assert_int_equal(c.started, TURNS + 1);
	for (size_t i = 0; i <= TURNS; i++) {
		assert_int_equal(c.fetch[i].dones, 1);
		assert_int_equal(c.fetch[i].code, CURLE_OK);
		assert_true(str_is(buf_view(&c.fetch[i].data), "yo"));
		fetch_finish(&c.fetch[i]);
	}
	assert_int_equal(server.accepted, TURNS + 1);
	transfers_destroy(c.transfers);
	loopback_join(&server);
	loopback_finish(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transfer_is_done_when_the_answer_is_in),
		cmocka_unit_test(failures_are_told_by_their_code),
		cmocka_unit_test(nobody_listening_is_an_error_and_not_a_hang),
		cmocka_unit_test(cancel_closes_the_connection_at_once),
		cmocka_unit_test(a_cancel_before_anything_happened_is_fine),
		cmocka_unit_test(a_paused_transfer_goes_on),
		cmocka_unit_test(many_transfers_end_each_by_itself),
		cmocka_unit_test(bytes_behind_an_answer_are_not_the_next_one),
	};

	curl_global_init(CURL_GLOBAL_DEFAULT);
	int failed = cmocka_run_group_tests_name("loop/transfer", tests, NULL, NULL);
	curl_global_cleanup();
	return failed;
}
