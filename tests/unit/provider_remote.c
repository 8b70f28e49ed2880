/* A provider over HTTP against a scripted server: which end each way of answering has. */
#include "base/limits.h"
#include "loop/work.h"
#include "provider/provider.h"
#include "provider/remote.h"
#include "tests/unit/served.h"

#include <semaphore.h>

struct heard {
	struct served         net;
	struct provider      *provider;
	struct work_pool     *cpu; /* NULL: the loop decodes all */
	struct provider_call *call;
	struct buf            out;
	int                   ends;
	struct err            err;
	enum event_kind       cancel_at; /* EVENT__COUNT: never */
	struct timer          canceller;
	int                   left; /* calls to come after this one */
	int64_t               linger_us;
};

static void on_linger(struct timer *t)
{
	loop_stop(container_of(t, struct heard, canceller)->net.loop);
}

static void start(struct heard *h, bool stream);

static void on_event(void *arg, const struct event *ev)
{
	/* clang-format off */
	static const char *const names[EVENT__COUNT] = {
		[EVENT_START] = "start ", [EVENT_TEXT] = "text:",     [EVENT_MESSAGE] = "message:",
		[EVENT_OTHER] = "other ", [EVENT_USAGE] = "usage ",   [EVENT_FINISH] = "finish:",
		[EVENT_ERROR] = "error",  [EVENT_END] = "end",
	};
	/* clang-format on */
	struct heard *h = arg;

	assert_int_equal(h->ends, 0);
	assert_non_null(names[ev->kind]);
	assert_true(buf_text(&h->out, names[ev->kind]));
	if (ev->kind == EVENT_TEXT || ev->kind == EVENT_MESSAGE || ev->kind == EVENT_FINISH)
		assert_true(buf_str(&h->out, ev->text) && buf_text(&h->out, " "));
	if (ev->kind == h->cancel_at)
		timer_start(h->net.loop, &h->canceller, 0);
	if (ev->kind != EVENT_ERROR && ev->kind != EVENT_END)
		return;
	h->ends++;
	h->call = NULL;
	if (ev->kind == EVENT_ERROR)
		h->err = *ev->err;
	if (h->left == 0) {
		/* A call that was released behind its terminator may stay for as long. */
		h->canceller.fn = on_linger;
		timer_start(h->net.loop, &h->canceller, h->linger_us);
		return;
	}
	h->left--;
	h->ends = 0;
	buf_clear(&h->out);
	start(h, true);
}

static void on_cancel(struct timer *t)
{
	struct heard *h = container_of(t, struct heard, canceller);

	if (h->call)
		h->call->provider->ops->cancel(h->call);
	h->call = NULL;
	loop_stop(h->net.loop);
}

static struct provider *provider_of(unsigned port, struct mask *mask, const struct dialect *dialect)
{
	char             url[64];
	struct provider *p = NULL;
	struct err       e = { 0 };

	snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/", port);
	struct provider_options o = {
		.name = "up",
		.dialect = "openai",
		.base_url = url,
		.key = "secret",
		.query = "v=1",
		.stream_usage = true,
		.connect_us = 60 * SECOND,
		.first_byte_us = 60 * SECOND,
		.first_byte_plain_us = 60 * SECOND,
		.idle_us = 60 * SECOND,
		.total_us = 90 * SECOND,
		.mask = mask,
	};
	if ((dialect ? remote_create(&o, dialect, &p, &e) : provider_create(&o, &p, &e)) != ERR_OK)
		fail_msg("%s", e.text);
	return p;
}

static struct provider *provider_with(unsigned port, struct mask *mask)
{
	return provider_of(port, mask, NULL);
}

static void heard_open_with(struct heard *h, const struct step *script, struct mask *mask)
{
	*h = (struct heard){ .canceller = { .fn = on_cancel },
			     .cancel_at = EVENT__COUNT,
			     .linger_us = SECOND / 50 };
	buf_init(&h->out, 1 << 20);
	served_open(&h->net, script);
	h->provider = provider_with(h->net.server.port, mask);
}

static void heard_open(struct heard *h, const struct step *script)
{
	heard_open_with(h, script, NULL);
}

/* A call that was released may still run while its provider goes. */
static void heard_close(struct heard *h)
{
	provider_destroy(h->provider);
	served_close(&h->net);
	buf_finish(&h->out);
}

static void start(struct heard *h, bool stream)
{
	const struct str    message = STR("{\"role\":\"user\",\"content\":\"hi\"}");
	struct provider_env env = { .loop = h->net.loop,
				    .upstreams = h->net.upstreams,
				    .cpu = h->cpu };
	struct prompt       prompt = {
		      .model = STR("m"),
		      .messages = &message,
		      .message_count = 1,
		      .stream = stream,
		      .want_usage = true,
	};
	struct err e = { 0 };

	assert_int_equal(
		h->provider->ops->start(h->provider, &env, &prompt, on_event, h, &h->call, &e),
		ERR_OK);
	assert_int_equal(h->out.len, 0);
}

/* clang-format off */
#define HEAD "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
#define TEXT_A                                                                                     \
	"data: " HEAD                                                                              \
	"\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\n\n"
#define STOP "data: " HEAD "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define EVENTS "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
#define JSON "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

static const struct {
	const char *why;
	bool        plain;
	struct step answer[4];
	const char *want;
	enum errc   code;
	const char *text; /* of the error */
	int         http;
} cases[] = {
	{ .why = "a good stream",
	  .answer = { { ACT_SEND, EVENTS ": hi\n\n" TEXT_A STOP "data: [DONE]\n\n" } },
	  .want = "start text:a finish:stop end" },
	{ .why = "the same, byte by byte",
	  .answer = { { ACT_SPLIT, EVENTS TEXT_A STOP "data: [DONE]\r\n\r\n" } },
	  .want = "start text:a finish:stop end" },
	{ .why = "the end is told with the terminator, not with the connection's end",
	  .answer = { { ACT_SEND, EVENTS TEXT_A STOP "data: [DONE]\n\n" }, { ACT_HOLD, "" } },
	  .want = "start text:a finish:stop end" },
	{ .why = "nothing is read behind the terminator",
	  .answer = { { ACT_SEND, EVENTS TEXT_A STOP "data: [DONE]\n\ndata: nonsense\n\n" } },
	  .want = "start text:a finish:stop end" },
	{ .why = "no terminator, but every choice finished",
	  .answer = { { ACT_SEND, EVENTS TEXT_A STOP } },
	  .want = "start text:a finish:stop end" },
	{ .why = "no blank line behind the last event",
	  .answer = { { ACT_SEND, EVENTS TEXT_A "data: " HEAD
				  "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}" } },
	  .want = "start text:a finish:stop end" },
	{ .why = "a reset behind the finish does no harm",
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Content-Length: 9999\r\n\r\n" TEXT_A STOP } },
	  .want = "start text:a finish:stop end" },
	{ .why = "a stream without a content type",
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\n\r\n" TEXT_A STOP } },
	  .want = "start text:a finish:stop end" },
	{ .why = "a terminator without a finish",
	  .answer = { { ACT_SEND, EVENTS TEXT_A "data: [DONE]\n\n" } },
	  .want = "start text:a error",
	  .code = ERR_STREAM_INCOMPLETE,
	  .text = "the provider 'up' ended the stream before the answer was finished",
	  .http = 502 },
	{ .why = "an end without a finish",
	  .answer = { { ACT_SEND, EVENTS TEXT_A } },
	  .want = "start text:a error", .code = ERR_STREAM_INCOMPLETE, .http = 502 },
	{ .why = "a cut without a finish",
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Content-Length: 9999\r\n\r\n" TEXT_A } },
	  .want = "start text:a error", .code = ERR_STREAM_INCOMPLETE,
	  .text = "the provider 'up' closed the connection in the middle of its answer",
	  .http = 502 },
	{ .why = "an empty stream",
	  .answer = { { ACT_SEND, EVENTS ": nothing\n\n" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE,
	  .text = "the provider 'up' returned an empty stream", .http = 502 },
	{ .why = "a stream of a terminator alone",
	  .answer = { { ACT_SEND, EVENTS "data: [DONE]\n\n" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE, .http = 502 },
	{ .why = "a malformed chunk behind text",
	  .answer = { { ACT_SEND, EVENTS TEXT_A "data: {oops\n\n" }, { ACT_HOLD, "" } },
	  .want = "start text:a error", .code = ERR_UPSTREAM_BAD_RESPONSE,
	  .text = "the provider 'up' sent a stream event that is not JSON", .http = 502 },
	{ .why = "an error behind text, and a terminator behind it (vLLM)",
	  .answer = { { ACT_SEND, EVENTS TEXT_A
				  "data: {\"error\":{\"message\":\"gpu\",\"code\":400}}\n\ndata: [DONE]\n\n" } },
	  .want = "start text:a error", .code = ERR_UPSTREAM_REJECTED, .text = "gpu", .http = 400 },
	{ .why = "a bare JSON line in a stream (Ollama)",
	  .answer = { { ACT_SEND, EVENTS "{\"error\":\"failed\"}\n" } },
	  .want = "error", .code = ERR_UPSTREAM_ERROR, .text = "failed", .http = 502 },
	{ .why = "an error object where a stream was asked for",
	  .answer = { { ACT_SEND, JSON "{\"error\":{\"code\":429,\"message\":\"m\"}}" } },
	  .want = "error", .code = ERR_UPSTREAM_RATE_LIMIT, .text = "m", .http = 429 },
	{ .why = "an answer where a stream was asked for",
	  .answer = { { ACT_SEND, JSON "{\"choices\":[]}" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE, .http = 502 },
	{ .why = "HTML where a stream was asked for",
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE, .http = 502 },
	{ .why = "a status and an error object",
	  .answer = { { ACT_SEND, "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"
				  "\r\n{\"error\":{\"message\":\"no model\"}}" } },
	  .want = "error", .code = ERR_UPSTREAM_REJECTED, .http = 404 },
	{ .why = "a refused key",
	  .answer = { { ACT_SEND, "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n" } },
	  .want = "error", .code = ERR_UPSTREAM_AUTH,
	  .text = "the provider 'up' refused the gateway's own key (status 401); the key of this "
		  "request is not at fault",
	  .http = 403 },
	{ .why = "an error answer that is cut still has its status",
	  .answer = { { ACT_SEND, "HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 99\r\n\r\nx" } },
	  .want = "error", .code = ERR_UPSTREAM_UNAVAILABLE, .http = 503 },
	{ .why = "no answer",
	  .answer = { { ACT_CLOSE, "" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE,
	  .text = "the provider 'up' closed the connection without an answer", .http = 502 },
	{ .why = "a good plain answer",
	  .plain = true,
	  .answer = { { ACT_SEND, JSON "{\"choices\":[{\"message\":{\"a\":1},\"finish_reason\":\"stop\"}]}  " } },
	  .want = "start message:{\"a\":1} finish:stop end" },
	{ .why = "a plain answer of another type",
	  .plain = true,
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE,
	  .text = "the provider 'up' answered with something other than JSON", .http = 502 },
	{ .why = "an empty plain answer",
	  .plain = true,
	  .answer = { { ACT_SEND, JSON "" } },
	  .want = "error", .code = ERR_UPSTREAM_BAD_RESPONSE, .http = 502 },
	{ .why = "a plain answer that is cut",
	  .plain = true,
	  .answer = { { ACT_SEND, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
				  "Content-Length: 99\r\n\r\n{\"choi" } },
	  .want = "error", .code = ERR_STREAM_INCOMPLETE, .http = 502 },
};
/* clang-format on */

static void each_way_of_answering_has_its_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct heard h;
		struct step  script[8] = { ASKED };

		memcpy(script + 2, cases[i].answer, sizeof cases[i].answer);
		heard_open(&h, script);
		if (cases[i].answer[1].act == ACT_HOLD)
			h.linger_us = SECOND / 2;
		start(&h, !cases[i].plain);
		loop_run(h.net.loop);

		if (!str_is(buf_view(&h.out), cases[i].want))
			fail_msg("%s: %.*s (%s)", cases[i].why, STR_ARG(buf_view(&h.out)),
				 h.err.text);
		if (h.err.code != cases[i].code)
			fail_msg("%s: code %d, %s", cases[i].why, (int)h.err.code, h.err.text);
		if (cases[i].text && strcmp(h.err.text, cases[i].text) != 0)
			fail_msg("%s: %s", cases[i].why, h.err.text);
		if (cases[i].http)
			assert_int_equal(err_http(&h.err), cases[i].http);
		if (cases[i].http == 503)
			assert_int_equal(h.err.retry_after_ms, 3000);
		heard_close(&h);
	}
}

static void the_request_has_path_query_key_and_options(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, EVENTS TEXT_A STOP },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	heard_open(&h, script);
	start(&h, true);
	loop_run(h.net.loop);
	served_join(&h.net);
	assert_true(buf_add(&h.net.server.seen, "", 1));
	const char *seen = h.net.server.seen.data;
	assert_int_equal(strncmp(seen, "POST /v1/chat/completions?v=1 HTTP/1.1\r\n", 40), 0);
	assert_non_null(strstr(seen, "\r\nAuthorization: Bearer secret\r\n"));
	assert_non_null(strstr(seen, "\r\nAccept: text/event-stream\r\n"));
	assert_non_null(strstr(seen, "\r\n\r\n{\"model\":\"m\",\"messages\":[{\"role\":\"user\","
				     "\"content\":\"hi\"}],\"stream\":true,"
				     "\"stream_options\":{\"include_usage\":true}}"));
	heard_close(&h);
}

static enum errc sign_ask(const struct provider_options *o, const struct dialect_ask *ask,
			  struct buf *out, struct err *e)
{
	assert_non_null(strstr(ask->head, "\r\nContent-Type: application/json\r\n"));
	assert_null(strstr(ask->head, "secret"));
	if (ask->body.n < 10)
		return err_set(e, ERR_INTERNAL, NULL, "nothing to sign");
	return buf_fmt(out, "\r\nX-Signed: %s %s %s %.4s %zu\r\nX-Date: now", o->key, ask->method,
		       strstr(ask->url, "/v1/"), ask->head, ask->body.n)
		       ? ERR_OK
		       : err_no_memory(e);
}

static enum errc sign_never(const struct provider_options *o, const struct dialect_ask *ask,
			    struct buf *out, struct err *e)
{
	(void)o;
	(void)ask;
	(void)out;
	return err_set(e, ERR_INTERNAL, NULL, "no signature");
}

static void a_dialect_may_sign_the_finished_request(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, EVENTS TEXT_A STOP "data: [DONE]\n\n" },
		{ ACT_STOP, "" },
	};
	struct dialect dialect = dialect_openai;
	struct heard   h;

	(void)state;
	dialect.sign = sign_ask;
	heard_open(&h, script);
	provider_destroy(h.provider);
	h.provider = provider_of(h.net.server.port, NULL, &dialect);
	start(&h, true);
	loop_run(h.net.loop);
	served_join(&h.net);
	assert_true(buf_add(&h.net.server.seen, "", 1));
	const char *seen = h.net.server.seen.data;
	const char *body = strstr(seen, "\r\n\r\n") + 4;
	char        want[128];
	snprintf(want, sizeof want,
		 "\r\nX-Signed: secret POST /v1/chat/completions?v=1 Host %zu\r\nX-Date: now\r\n",
		 strlen(body));
	assert_non_null(strstr(seen, want));
	assert_null(strstr(seen, "Authorization"));
	heard_close(&h);
}

static void a_request_without_its_signature_is_not_sent(void **state)
{
	static const struct step script[] = { { ACT_STOP, "" } };
	struct dialect           dialect = dialect_openai;
	struct heard             h;
	struct err               e = { 0 };

	(void)state;
	dialect.sign = sign_never;
	heard_open(&h, script);
	provider_destroy(h.provider);
	h.provider = provider_of(h.net.server.port, NULL, &dialect);

	struct provider_env env = { .loop = h.net.loop, .upstreams = h.net.upstreams };
	struct prompt       prompt = { .model = STR("m"), .stream = true };
	assert_int_equal(
		h.provider->ops->start(h.provider, &env, &prompt, on_event, &h, &h.call, &e),
		ERR_INTERNAL);
	assert_string_equal(e.text, "no signature");
	heard_close(&h);
}

static void a_cancel_closes_the_connection(void **state)
{
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, EVENTS TEXT_A },
		{ ACT_HOLD, "" },
		{ ACT_STOP, "" },
	};
	struct heard h;

	(void)state;
	heard_open(&h, script);
	h.cancel_at = EVENT_TEXT;
	start(&h, true);
	loop_run(h.net.loop);
	served_join(&h.net);
	assert_true(h.net.server.held);
	assert_int_equal(h.ends, 0);
	heard_close(&h);
}

static void a_connection_is_used_again(void **state)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				     "Transfer-Encoding: chunked\r\n\r\n"
				     "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
	enum { CALLS = 17 };
	struct step  script[2 * CALLS + 2] = { { ACT_ACCEPT, "" } };
	size_t       n = 1;
	struct heard h;

	(void)state;
	for (int i = 0; i < CALLS; i++) {
		script[n++] = (struct step){ ACT_READ, "" };
		script[n++] = (struct step){ ACT_SEND, answer };
	}
	heard_open(&h, script);
	h.left = CALLS - 1;
	start(&h, true);
	loop_run(h.net.loop);
	assert_true(str_is(buf_view(&h.out), "error")); /* an empty stream, but well ended */
	served_join(&h.net);
	assert_int_equal(h.net.server.accepted, 1);
	heard_close(&h);
}

/* --- a long answer, which a worker decodes --- */

struct late {
	struct heard    heard;
	struct work_job job;
	sem_t           free; /* the only worker is */
	struct timer    look;
};

static void hold_worker(struct work_job *job)
{
	CHECK(sem_wait(&container_of(job, struct late, job)->free) == 0);
}

static void worker_let_go(struct work_job *job)
{
	(void)job;
}

/* The answer waits behind the job that holds the worker; then its call and its provider go. */
static void on_look(struct timer *t)
{
	struct late  *x = container_of(t, struct late, look);
	struct heard *h = &x->heard;

	if (h->provider && loop_owed(h->net.loop) == 2) {
		h->provider->ops->cancel(h->call);
		provider_destroy(TAKE(h->provider));
		assert_int_equal(sem_post(&x->free), 0);
	}
	if (!h->provider && loop_owed(h->net.loop) == 0)
		loop_stop(h->net.loop);
	else
		timer_start(h->net.loop, t, 1000);
}

static void a_worker_may_decode_for_a_provider_that_is_gone(void **state)
{
	static char              answer[400 * KIB];
	static const struct step script[] = {
		ASKED,
		{ ACT_SEND, answer },
		{ ACT_CLOSE, "" },
		{ ACT_STOP, "" },
	};
	const struct str secret = STR("a secret of the configuration");
	struct late      x = { .look = { .fn = on_look } };
	struct heard    *h = &x.heard;
	struct mask     *mask;
	struct err       e;

	(void)state;
	int n = snprintf(answer, sizeof answer, "%s", JSON "{\"error\":{\"message\":\"");
	memset(answer + n, 'x', 300 * KIB);
	memcpy(answer + n + 300 * KIB, "\"}}", sizeof "\"}}");
	assert_true(mask_create(&secret, 1, &mask));
	heard_open_with(h, script, mask);
	mask_destroy(mask);
	assert_int_equal(work_pool_create(1, 2, &h->cpu, &e), ERR_OK);
	assert_int_equal(sem_init(&x.free, 0, 0), 0);
	x.job = (struct work_job){ .loop = h->net.loop, .run = hold_worker, .done = worker_let_go };
	assert_true(work_submit(h->cpu, &x.job));
	start(h, false);
	timer_start(h->net.loop, &x.look, 1000);
	loop_run(h->net.loop);
	assert_int_equal(h->ends, 0);
	work_pool_destroy(h->cpu);
	sem_destroy(&x.free);
	heard_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_of_answering_has_its_end),
		cmocka_unit_test(the_request_has_path_query_key_and_options),
		cmocka_unit_test(a_dialect_may_sign_the_finished_request),
		cmocka_unit_test(a_request_without_its_signature_is_not_sent),
		cmocka_unit_test(a_cancel_closes_the_connection),
		cmocka_unit_test(a_connection_is_used_again),
		cmocka_unit_test(a_worker_may_decode_for_a_provider_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
