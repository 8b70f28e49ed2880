/* What is refused before a handler runs has the shape of its route's family, whoever refuses it. */
#include "base/limits.h"
#include "base/log.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* --- three families, which say things differently --- */

static bool say(const char *who, const struct err *e, struct str request_id, struct buf *out)
{
	assert_true(request_id.n > 0);
	return buf_fmt(out, "%s refuses: %s", who, err_wire(e));
}

static bool say_one(const struct err *e, struct str request_id, struct buf *out)
{
	return say("one", e, request_id, out);
}

static bool say_two(const struct err *e, struct str request_id, struct buf *out)
{
	return say("two", e, request_id, out);
}

static bool say_other(const struct err *e, struct str request_id, struct buf *out)
{
	return say("other", e, request_id, out);
}

static const struct family one = { .error = say_one };
static const struct family two = { .error = say_two };
static const struct family other = { .error = say_other };

/* --- a server of two routes --- */

static void refuse_here(struct request *r, void *app)
{
	(void)app;
	reply_refuse(r, ERR_INVALID_VALUE, "x", "no");
}

static void answer(struct request *r, void *app)
{
	(void)app;
	reply_static(r, 200, "text/plain", STR("fine"));
}

static const struct route table[] = {
	{ "one", "POST", "/one", AUTH_CHAT, BODY_JSON, false, &one, refuse_here },
	{ "two", "POST", "/two", AUTH_READ, BODY_JSON, false, &two, refuse_here },
	{ "open", "GET", "/open", AUTH_NONE, BODY_NONE, false, &two, answer },
	{ 0 },
};

enum { MAX_BODY = 2 * LIMIT_LOOP_JSON };

static struct identity reader = { .scopes = SCOPE_READ };
static struct identity all = { .scopes = SCOPES_ALL };

static enum errc auth(void *arg, struct str key, struct caller *ret, struct err *e)
{
	(void)arg;
	if (!str_is(key, "all") && !str_is(key, "reader"))
		return err_set(e, ERR_INVALID_API_KEY, "", "no such key");
	ret->who = str_is(key, "all") ? &all : &reader;
	ret->scopes = ret->who->scopes;
	return ERR_OK;
}

static const struct server_settings *settings(void *arg)
{
	static const struct server_settings now = { .keep_alive_us = 1000000 };

	(void)arg;
	return &now;
}

struct house {
	struct loop          *loop;
	struct work_pool     *cpu;
	struct server_options options;
	struct server        *server;
	unsigned              port;
	pthread_t             thread;
	struct task           quiesce, stop;
	struct timer          look;
	sem_t                 quiet;
};

static const struct family *family_of(const struct request *r, const struct route *row)
{
	(void)r;
	return row ? row->family : &other;
}

static void *thread_main(void *arg)
{
	loop_run(((struct house *)arg)->loop);
	return NULL;
}

static void house_start(struct house *h)
{
	struct err         e;
	struct sockaddr_in at;
	socklen_t          n = sizeof at;
	char               bound[64];
	int                fd;

	*h = (struct house){ 0 };
	sem_init(&h->quiet, 0, 0);
	assert_int_equal(loop_create(0, &h->loop, &e), ERR_OK);
	assert_int_equal(work_pool_create(1, 8, &h->cpu, &e), ERR_OK);
	h->options = (struct server_options){
		.routes = { table, 0 },
		.family = family_of,
		.auth = auth,
		.settings = settings,
		.max_body = MAX_BODY,
		.max_upload = MAX_BODY,
		.max_bodies = 64 * MIB,
		.max_connections = 16,
		.cpu = h->cpu,
	};
	assert_int_equal(route_check(table, &e), ERR_OK);
	assert_int_equal(http_listen("127.0.0.1:0", true, &fd, bound, &e), ERR_OK);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	h->port = ntohs(at.sin_port);
	assert_int_equal(server_create(h->loop, fd, &h->options, NULL, &h->server, &e), ERR_OK);
	assert_int_equal(pthread_create(&h->thread, NULL, thread_main, h), 0);
}

static void quiesce_now(struct task *t)
{
	struct house *h = container_of(t, struct house, quiesce);

	server_quiesce(h->server, false);
	sem_post(&h->quiet);
}

static void house_quiesce(struct house *h)
{
	h->quiesce.fn = quiesce_now;
	loop_post(h->loop, &h->quiesce);
	sem_wait(&h->quiet);
}

static void look(struct timer *t)
{
	struct house *h = container_of(t, struct house, look);

	if (server_busy(h->server) == 0)
		loop_stop(h->loop);
	else
		timer_start(h->loop, t, 1000);
}

static void stop_now(struct task *t)
{
	struct house *h = container_of(t, struct house, stop);

	h->look.fn = look;
	timer_start(h->loop, &h->look, 0);
}

static void house_stop(struct house *h)
{
	h->stop.fn = stop_now;
	loop_post(h->loop, &h->stop);
	pthread_join(h->thread, NULL);
	server_destroy(h->server);
	work_pool_destroy(h->cpu);
	loop_destroy(h->loop);
	sem_destroy(&h->quiet);
}

/* --- clients --- */

static int dial(const struct house *h)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)h->port) };
	struct timeval     soon = { .tv_sec = 20 };
	int                fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static void send_all(int fd, struct str s)
{
	while (s.n > 0) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);

		assert_true(n > 0);
		s = (struct str){ s.p + n, s.n - (size_t)n };
	}
}

/* receive: until what ends it is there, or the server closes. */
static void receive(int fd, const char *end, struct buf *ret)
{
	char chunk[4096];

	while (!end || !ret->data || !memmem(ret->data, ret->len, end, strlen(end))) {
		ssize_t n = recv(fd, chunk, sizeof chunk, 0);

		assert_true(n >= 0);
		if (n == 0)
			return;
		assert_true(buf_add(ret, chunk, (size_t)n));
	}
}

static void put_request(struct buf *out, const char *line, const char *headers, struct str body)
{
	assert_true(buf_fmt(out, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n%s\r\n",
			    line, body.n, headers) &&
		    buf_str(out, body));
}

static void assert_refused(const struct house *h, const char *line, const char *headers,
			   struct str body, const char *want)
{
	int        fd = dial(h);
	struct buf sent, got;
	char       all_headers[256];

	buf_init(&sent, 2 * MAX_BODY);
	buf_init(&got, MIB);
	snprintf(all_headers, sizeof all_headers, "Connection: close\r\n%s", headers);
	put_request(&sent, line, all_headers, body);
	send_all(fd, buf_view(&sent));
	receive(fd, NULL, &got);
	got.len -= got.len > 0 && got.data[got.len - 1] == '\n';
	if (got.len < strlen(want) ||
	    memcmp(got.data + got.len - strlen(want), want, strlen(want)) != 0)
		fail_msg("%s: wanted %s, got %.*s", line, want, (int)got.len, got.data);
	close(fd);
	buf_finish(&sent);
	buf_finish(&got);
}

#define KEY  "Authorization: Bearer all\r\n"
#define JSON "Content-Type: application/json\r\n"

static void each_route_refuses_in_its_family(void **state)
{
	(void)state;
	static const struct {
		const char *line, *headers, *body, *want;
	} cases[] = {
		{ "POST /one", JSON, "{}", "one refuses: missing_api_key" },
		{ "POST /two", JSON, "{}", "two refuses: missing_api_key" },
		{ "POST /one", "Authorization: Basic x\r\n" JSON, "{}",
		  "one refuses: malformed_authorization" },
		{ "POST /two", "Authorization: Bearer none\r\n" JSON, "{}",
		  "two refuses: invalid_api_key" },
		{ "POST /one", "Authorization: Bearer reader\r\n" JSON, "{}",
		  "one refuses: insufficient_scope" },
		{ "PUT /one", KEY, "", "one refuses: method_not_allowed" },
		{ "PUT /two", KEY, "", "two refuses: method_not_allowed" },
		{ "POST /one?a=%zz", KEY JSON, "{}", "one refuses: bad_request" },
		{ "POST /two", KEY, "{}", "two refuses: unsupported_media_type" },
		{ "POST /one", KEY JSON "Content-Encoding: gzip\r\n", "{}",
		  "one refuses: unsupported_media_type" },
		{ "POST /one", KEY JSON, "", "one refuses: invalid_json" },
		{ "POST /two", KEY JSON, "{", "two refuses: invalid_json" },
		{ "POST /one", KEY JSON, "[]", "one refuses: invalid_type" },
		/* and the handlers themselves */
		{ "POST /one", KEY JSON, "{}", "one refuses: invalid_value" },
		{ "POST /two", KEY JSON, "{}", "two refuses: invalid_value" },
	};
	struct house h;

	house_start(&h);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_refused(&h, cases[i].line, cases[i].headers, str_of(cases[i].body),
			       cases[i].want);
	house_stop(&h);
}

static void a_path_of_no_route_is_refused_as_usual(void **state)
{
	(void)state;
	struct house h;

	house_start(&h);
	assert_refused(&h, "POST /three", KEY JSON, STR("{}"), "other refuses: unknown_url");
	assert_refused(&h, "POST /one%zz", KEY JSON, STR("{}"), "other refuses: bad_request");
	house_stop(&h);
}

/* Bodies over the limit, and those that a worker scans. */
static void long_bodies_are_refused_in_their_family_too(void **state)
{
	(void)state;
	struct house h;
	struct buf   body;

	house_start(&h);
	buf_init(&body, 2 * MAX_BODY);
	while (body.len <= LIMIT_LOOP_JSON)
		assert_true(buf_text(&body, "        "));
	assert_refused(&h, "POST /two", KEY JSON, buf_view(&body), "two refuses: invalid_json");
	while (body.len <= MAX_BODY)
		assert_true(buf_text(&body, "        "));
	assert_refused(&h, "POST /one", KEY JSON, buf_view(&body),
		       "one refuses: request_too_large");
	buf_finish(&body);
	house_stop(&h);
}

static void so_is_what_comes_while_the_server_drains(void **state)
{
	(void)state;
	struct house h;
	struct buf   sent, got;

	house_start(&h);
	buf_init(&sent, KIB);
	buf_init(&got, MIB);

	int fd = dial(&h);
	put_request(&sent, "GET /open", "", STR_NONE);
	send_all(fd, buf_view(&sent));
	receive(fd, "fine", &got);
	house_quiesce(&h);
	buf_clear(&got);
	send_all(fd, buf_view(&sent));
	receive(fd, NULL, &got);
	assert_non_null(memmem(got.data, got.len, "two refuses: draining", 21));
	close(fd);
	buf_finish(&sent);
	buf_finish(&got);
	house_stop(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_route_refuses_in_its_family),
		cmocka_unit_test(a_path_of_no_route_is_refused_as_usual),
		cmocka_unit_test(long_bodies_are_refused_in_their_family_too),
		cmocka_unit_test(so_is_what_comes_while_the_server_drains),
	};

	log_set_level(LOG_WARN);
	return cmocka_run_group_tests_name("http/refusals", tests, NULL, NULL);
}
