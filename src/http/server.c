/* A daemon of libmicrohttpd on one loop, with its connections, their watches and deadlines. */
#include "http/server.h"

#include "base/limits.h"
#include "base/log.h"
#include "http/internal.h"
#include "http/reply.h"
#include "http/tls.h"

#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	REAPER_US = 1000 * 1000,
	RUNS_A_ROUND = 4,
	BODY_TRUST =
		/* memory that is reserved for a Content-Length before the bytes arrive */
	2 * 1024 * 1024,
	DESCRIPTORS_SPARE = 256,
	CONNECTIONS_HARD = 1000000,
};

struct server_counters server_counters;

void server_stats(struct server_stats *ret)
{
	ret->connections = atomic_load(&server_counters.connections);
	ret->in_flight = atomic_load(&server_counters.in_flight);
	ret->streams = atomic_load(&server_counters.streams);
	ret->bodies = input_held();
}

/* --- connections --- */

/* drop_half_request: the client has left before the end of its request. libmicrohttpd does not
 * always notice an end that comes right after the bytes; an error of the connection it notices.
 * Unread bytes are read first, and the reaper looks again. */
static void drop_half_request(struct connection *c)
{
	char byte;

	if (c->phase != CONNECTION_BUSY &&
	    recv(c->watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		shutdown(c->watch.fd, SHUT_RDWR);
}

/* The watch is edge-triggered: it reports once that the client has left, and each time that there
 * is room to write again. */
static void connection_event(struct watch *w, uint32_t epoll_events)
{
	struct connection *c = container_of(w, struct connection, watch);

	if (epoll_events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
		c->left = true;
		if (c->request)
			request_client_left(c->request);
		drop_half_request(c);
		return;
	}
	if ((epoll_events & EPOLLOUT) && c->request && c->request->stream)
		stream_writable(c->request->stream);
}

static void connection_open(struct server *s, struct MHD_Connection *mhd, void **ret_context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c = info ? calloc(1, sizeof *c) : NULL;

	*ret_context = c;
	if (!c)
		return;
	c->server = s;
	c->watch = (struct watch){ .fn = connection_event, .fd = info->connect_fd };
	c->since_us = loop_now_us(s->loop);
	list_put_front(&s->connections, &c->link);
	atomic_fetch_add_explicit(&server_counters.connections, 1, memory_order_relaxed);
	crowd_enter(c);
	/* While a connection is suspended, libmicrohttpd notices neither a client that leaves nor
	 * time-outs. */
	if (!loop_watch(s->loop, &c->watch, EPOLLRDHUP | EPOLLET))
		log_note(LOG_WARN, "connection_unwatched", "a client's leaving may go unnoticed");
}

static void connection_close(struct server *s, struct connection *c)
{
	if (!c)
		return;
	/* libmicrohttpd 0.9.75 drops some connections without on_completed: where a second error meets
	 * its own error answer (cookies that its pool has no room for, and a bad length), and where
	 * epoll takes a descriptor no more.  None of them is suspended. */
	if (c->request)
		request_dropped(c->request);
	loop_unwatch(s->loop, &c->watch);
	if (c->linger)
		linger_begin(s, c->watch.fd);
	crowd_leave(c);
	list_take_out(&c->link);
	atomic_fetch_sub_explicit(&server_counters.connections, 1, memory_order_relaxed);
	free(c);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct server *s = cls;

	switch (code) {
	case MHD_CONNECTION_NOTIFY_STARTED: connection_open(s, mhd, context); break;
	case MHD_CONNECTION_NOTIFY_CLOSED:
		connection_close(s, *context);
		*context = NULL;
		break;
	}
}

/* While no descriptor is left, the library leaves its listening socket alone until one of its own
 * connections ends.  A library without connections calls accept again and again as long as a client
 * waits: so the library gets no events until the reaper's next look. */
static void accept_rest(struct server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_LISTEN_FD);
	struct pollfd listening = { .fd = info ? info->listen_fd : -1, .events = POLLIN };

	if (poll(&listening, 1, 0) == 1 && !s->resting)
		s->resting = loop_rewatch(s->loop, &s->watch, 0);
}

static void accept_again(struct server *s)
{
	if (s->resting && loop_rewatch(s->loop, &s->watch, EPOLLIN))
		s->resting = false;
}

static void reap_idle(struct timer *t)
{
	struct server *s = container_of(t, struct server, reaper);
	int64_t        now = loop_now_us(s->loop);

	LIST_EACH (c, &s->connections, struct connection, link) {
		const char *reason = slow_ends(c, now);

		if (c->left)
			drop_half_request(c);
		crowd_silent(c, now);
		if (reason)
			connection_cut(c, reason);
	}
	crowd_look(s);
	accept_again(s);
	/* After a lack of descriptors, libmicrohttpd listens again at its next run. Without
	 * connections nothing else would run it. */
	s->need_run = true;
	timer_start(s->loop, &s->reaper, REAPER_US);
}

/* --- libmicrohttpd's callbacks for requests --- */

/* hide_arguments: libmicrohttpd is to make no records of arguments, which would fill its pool;
 * the query is read from our copy.  The library has found the question mark before, and parses
 * what follows it, up to a NUL, later: here the target still is the library's own memory, and
 * mutable. */
static void hide_arguments(const char *target)
{
	char *query = (char *)strchr(target, '?');

	if (query)
		query[1] = '\0';
}

static void *on_request_line(void *cls, const char *target, struct MHD_Connection *mhd)
{
	struct request *r = request_create(cls, mhd, target);

	hide_arguments(target);
	return r;
}

/* drop_body: drops the bytes so far and the rest. The time for the body begins again, because the
 * answer can be sent only after its end. */
static void drop_body(struct request *r)
{
	r->connection->since_us = loop_now_us(r->server->loop);
	input_drop_body(r->input);
}

static void refuse_crowded(struct request *r, const char *why)
{
	struct err e;

	err_set(&e, ERR_OVERLOADED, "", "%s; try again", why);
	request_refuse(r, &e);
	drop_body(r);
}

/* reserve_rest: a client that has sent a piece, or announces a short body, gets room for the whole
 * announced length.  Doubling a long body again and again would copy megabytes in one step, and
 * untouched memory costs nothing. */
static void reserve_rest(struct request *r, size_t n)
{
	struct buf *body = &r->input->body;
	size_t      all = r->view.head.body_bytes;
	bool        trusted = body->cap > 0 || all <= LIMIT_BODY_FREE;

	/* A failure shows in buf_add. */
	if (trusted && body->len + n > body->cap && all > body->len + n && all <= body->max)
		(void)!buf_reserve(body, all - body->len);
}

static void server_take_body(struct request *r, const char *bytes, size_t n)
{
	struct input *in = r->input;

	reserve_rest(r, n);

	if (!r->body_dropped && !r->refusal) {
		if (!input_hold(in, in->body.len + n, r->server->options->max_bodies)) {
			refuse_crowded(r, "the bodies of all requests take too much memory");
		} else if (buf_add(&in->body, bytes, n)) {
			return;
		} else if (buf_starved()) {
			refuse_crowded(r, "no memory for the body");
		} else {
			r->body_dropped = true;
			drop_body(r);
		}
	}
	r->dropped += n;
}

static enum MHD_Result on_body(struct request *r, const char *bytes, size_t *n)
{
	if (r->route && r->route->body == BODY_UPLOAD)
		return upload_body(r, bytes, n);
	/* libmicrohttpd takes an answer only before a body or after its end, so a body that is
	 * refused in between is read to its end. */
	server_take_body(r, bytes, *n);
	*n = 0;
	return r->dropped > LIMIT_LINGER_BYTES ? MHD_NO : MHD_YES;
}

static enum MHD_Result after_work(struct request *r)
{
	switch (r->phase) {
	case REQUEST_REPLIED: return reply_queue(r);
	case REQUEST_GONE: return MHD_NO;
	case REQUEST_WORKING:
	case REQUEST_STREAMING:
		if (r->response)
			return reply_queue(r);
		request_hold(r);
		return MHD_YES;
	case REQUEST_HEAD:
	case REQUEST_BODY:
	case REQUEST_PHASE__COUNT: break;
	}
	check_failed("a request that is past its head and body", __FILE__, __LINE__);
}

/* early_is_better: an answer before the end of the body closes the connection. So a short body is
 * read first. A client that waits for "100 Continue", sends much, or does not say how much, is
 * answered at once. */
static bool early_is_better(const struct head *h)
{
	return h->expect.p || h->transfer_encoding.p || h->body_bytes > LIMIT_REFUSED_BODY;
}

static void refuse_early(struct request *r, const struct err *e)
{
	/* a client that waits for "100 Continue" sends nothing more */
	r->early = !r->view.head.expect.p;
	r->close = true;
	reply_error(r, e);
}

static enum MHD_Result on_head_done(struct request *r, const char *method, const char *version)
{
	struct err e;

	r->view.method = method;
	r->http10 = strcmp(version, "HTTP/1.0") == 0;
	if (head_read(r->mhd, version, &r->view.head, &e) != ERR_OK) {
		/* The framing can't be trusted, so nothing more is read from this connection. */
		refuse_early(r, &e);
		return reply_queue(r);
	}
	trace_begin(&r->view.trace, r->view.head.traceparent);
	gate_head(r);
	if (!r->refusal && r->route && r->route->body == BODY_UPLOAD &&
	    strcmp(method, "OPTIONS") != 0)
		upload_begin(r);
	if (r->refusal && early_is_better(&r->view.head)) {
		refuse_early(r, r->refusal);
		return reply_queue(r);
	}
	/* The room is that of the expected bytes only, because the length is only announced. */
	if (!r->refusal && !r->upload.sink && r->view.head.body_bytes > 0 &&
	    !buf_reserve(&r->input->body, r->view.head.body_bytes < BODY_TRUST
						  ? r->view.head.body_bytes
						  : BODY_TRUST)) {
		err_set(&e, ERR_OVERLOADED, "", "no memory for the request's body");
		request_refuse(r, &e);
	}
	request_move(r, REQUEST_BODY);
	return MHD_YES;
}

static enum MHD_Result on_body_done(struct request *r)
{
	request_move(r, REQUEST_WORKING);
	/* The client may have left before the handler could be told. */
	if (r->connection->left) {
		request_move(r, REQUEST_GONE);
		return MHD_NO;
	}
	if (r->body_dropped && !r->refusal) {
		struct err e;

		err_set(&e, ERR_REQUEST_TOO_LARGE, "", "the body is over the limit of %zu bytes",
			r->input->body.max);
		request_refuse(r, &e);
	}
	if (r->refusal)
		reply_error(r, r->refusal);
	else if (r->upload.sink)
		upload_whole(r);
	else if (gate_body(r))
		r->route->handle(r, r->server->app);
	return after_work(r);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
				  const char *method, const char *version, const char *bytes,
				  size_t *n, void **context)
{
	struct request *r = *context;

	(void)cls;
	(void)mhd;
	(void)url;
	if (!r)
		return MHD_NO; /* no memory at the request line */
	if (request_held(r))
		return MHD_YES;
	loop_step(r->server->loop); /* the library serves many in one run */
	switch (r->phase) {
	case REQUEST_HEAD: return on_head_done(r, method, version);
	case REQUEST_BODY: return *n > 0 ? on_body(r, bytes, n) : on_body_done(r);
	case REQUEST_WORKING:
	case REQUEST_REPLIED:
	case REQUEST_STREAMING:
	case REQUEST_GONE: return after_work(r);
	case REQUEST_PHASE__COUNT: break;
	}
	return MHD_NO;
}

static void server_on_completed(void *cls, struct MHD_Connection *mhd, void **context,
				enum MHD_RequestTerminationCode code)
{
	struct request                 *r = *context;
	const union MHD_ConnectionInfo *own =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_HTTP_STATUS);

	(void)cls;
	if (r)
		r->connection->linger = r->early && code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
	/* The library itself refuses requests that it can't parse. */
	if (r && r->status == 0 && own)
		r->status = (int)own->http_status;
	if (r)
		request_cut_off(r);
	request_destroy(r);
	*context = NULL;
}

/* Escapes are decoded by http/route, after the target was split. */
static size_t keep_escapes(void *cls, struct MHD_Connection *mhd, char *text)
{
	(void)cls;
	(void)mhd;
	return strlen(text);
}

PRINTF(2, 0)
static void on_library_log(void *cls, const char *fmt, va_list ap)
{
	struct server *s = cls;
	char           text[256];

	s->complained = true;
	vsnprintf(text, sizeof text, fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	log_note(LOG_DEBUG, "http_library", "%s", text);
}

/* --- driving it --- */

static void daemon_ready(struct watch *w, uint32_t epoll_events)
{
	(void)epoll_events;
	container_of(w, struct server, watch)->need_run = true;
}

/* library_wait_ms: how long the library has nothing to do without an event.  For held requests it always
 * has, so it is not asked while no others are alive.  It may have read a part of a long request line by
 * then, and nobody but the library knows: this waits until the requests are suspended. */
static unsigned long long library_wait_ms(const struct server *s)
{
	unsigned long long ms;
	int64_t            left_us = s->held_until_us - loop_now_us(s->loop);

	if (s->held > 0 && s->busy == s->held + s->suspended)
		return left_us > 0 ? (unsigned long long)(left_us + 999) / 1000 : 0;
	return MHD_get_timeout(s->daemon, &ms) == MHD_YES ? ms : ULLONG_MAX;
}

static void library_run(struct server *s)
{
	s->need_run = false;
	s->complained = false;
	MHD_run(s->daemon);
	if (s->complained && !s->connections.first)
		accept_rest(s);
	if (s->held_until_us <= loop_now_us(s->loop))
		s->held_until_us = loop_now_us(s->loop) + HELD_US;
}

/* Before each sleep: libmicrohttpd's epoll descriptor does not show a pending resume, and its
 * time-out ignores them too, so `need_run` is ours. */
static bool server_idle(void *arg, int64_t *timeout_us)
{
	struct server     *s = arg;
	bool               worked = false;
	unsigned long long ms;

	for (int i = 0; i < RUNS_A_ROUND && (s->need_run || library_wait_ms(s) == 0); i++) {
		library_run(s);
		worked = true;
	}
	ms = library_wait_ms(s);
	if (ms < 1000000 && (int64_t)ms * 1000 < *timeout_us)
		*timeout_us = (int64_t)ms * 1000;
	return worked;
}

static bool is_unix(int fd)
{
	struct sockaddr_storage a = { 0 };
	socklen_t               len = sizeof a;

	return getsockname(fd, (struct sockaddr *)&a, &len) == 0 && a.ss_family == AF_UNIX;
}

size_t http_connections_max(size_t loops)
{
	struct rlimit files;
	size_t        bearable = loops * LIMIT_CONNECTIONS;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur > 4 * bearable)
		return bearable;

	/* Each answer may need a second descriptor, to the provider. */
	size_t own = files.rlim_cur > 2 * DESCRIPTORS_SPARE ? DESCRIPTORS_SPARE
							    : (size_t)files.rlim_cur / 2;
	size_t n = ((size_t)files.rlim_cur - own) / 2;
	return n < bearable ? n : bearable;
}

/* connection_limit: the number at which libmicrohttpd stops accepting. Below it, http/crowd
 * decides. */
static unsigned connection_limit(const struct server_options *o)
{
	return o->max_connections < CONNECTIONS_HARD - 2 * LIMIT_SURPLUS
		       ? (unsigned)(o->max_connections + 2 * LIMIT_SURPLUS)
		       : CONNECTIONS_HARD;
}

enum errc server_create(struct loop *l, int listen_fd, const struct server_options *o, void *app,
			struct server **ret, struct err *e)
{
	struct server *s = calloc(1, sizeof *s);

	if (!s)
		goto fail;
	s->loop = l;
	s->options = o;
	s->app = app;
	s->listen_fd = -1;
	s->on_unix = is_unix(listen_fd);
	s->tls = o->tls && !s->on_unix;
	s->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
			(s->tls ? MHD_USE_TLS : 0u),
		0, NULL, NULL, on_request, s, MHD_OPTION_LISTEN_SOCKET, listen_fd,
		MHD_OPTION_NOTIFY_COMPLETED, server_on_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, s, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, s,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_CONNECTION_LIMIT,
		connection_limit(o), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LIMIT_HEADER_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_KEEPALIVE_SECONDS,
		MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_EXTERNAL_LOGGER, on_library_log, s,
		/* Without TLS, the list of options ends here. */
		s->tls ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END, tls_priorities,
		MHD_OPTION_HTTPS_CERT_CALLBACK, tls_retriever(), MHD_OPTION_END);
	if (!s->daemon)
		goto fail;

	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	s->watch = (struct watch){ .fn = daemon_ready, .fd = info->epoll_fd };
	if (!loop_watch(l, &s->watch, EPOLLIN) || !loop_add_idle(l, server_idle, s))
		goto fail;
	crowd_join(s);
	s->need_run = true;
	s->reaper.fn = reap_idle;
	timer_start(l, &s->reaper, REAPER_US);
	*ret = s;
	return ERR_OK;

fail:
	if (s && s->daemon)
		MHD_stop_daemon(s->daemon);
	else
		close(listen_fd);
	free(s);
	return err_set(e, ERR_INTERNAL, "", "can't start HTTP");
}

void server_quiesce(struct server *s, bool leave)
{
	if (s->quiesced)
		return;
	s->quiesced = true;
	s->leaving = leave;
	s->listen_fd = MHD_quiesce_daemon(s->daemon);
	/* The socket may be closed only after the daemon. Until then no client should wait in its
	 * queue, unless another process will accept it. */
	if (s->listen_fd >= 0 && !leave)
		shutdown(s->listen_fd, SHUT_RDWR);
}

void server_cut(struct server *s)
{
	LIST_EACH (c, &s->connections, struct connection, link)
		shutdown(c->watch.fd, SHUT_RDWR);
}

bool server_connected(const struct server *s)
{
	return s->connections.first != NULL;
}

size_t server_busy(const struct server *s)
{
	return s->busy;
}

void server_destroy(struct server *s)
{
	if (!s)
		return;
	/* libmicrohttpd aborts if it is stopped with suspended connections. */
	CHECK(s->suspended == 0 && s->held == 0);
	loop_unwatch(s->loop, &s->watch);
	timer_stop(s->loop, &s->reaper);
	timer_stop(s->loop, &s->resume_tick);
	MHD_stop_daemon(s->daemon);
	crowd_part(s);
	linger_stop(s);
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	free(s);
}
