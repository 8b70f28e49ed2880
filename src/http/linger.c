/* Clients that were refused before the end of their body and are still sending. Their bytes are
 * read and dropped for a while. If a socket is closed with unread bytes, the system resets the
 * connection, and the client may lose the answer; most clients read only after their last byte. */
#include "base/limits.h"

#include "base/metric.h"
#include "http/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SECOND = 1000000,
	PIECE = 16 * 1024,
	PIECES = 16, /* pieces from one client in one turn of the loop */
};

/* A socket whose answer is sent and whose sending side is closed; libmicrohttpd has forgotten it. */
struct lingerer {
	struct watch     watch;
	struct timer     timer;
	struct server   *server;
	struct list_link link;
	size_t           read;
};

static _Atomic size_t lingering; /* lingerers of all servers */

static void count_end(const char *end)
{
	metric_add(METRIC_HTTP_LINGERED, (const char *[]){ end, "", "" }, 1);
}

static void linger_end(struct lingerer *g, const char *end)
{
	struct server *s = g->server;

	count_end(end);
	metric_add(METRIC_HTTP_DROPPED, (const char *[]){ "", "", "" }, (int64_t)g->read);
	loop_unwatch(s->loop, &g->watch);
	timer_stop(s->loop, &g->timer);
	close(g->watch.fd);
	list_take_out(&g->link);
	atomic_fetch_sub_explicit(&lingering, 1, memory_order_relaxed);
	free(g);
}

static void linger_late(struct timer *t)
{
	linger_end(container_of(t, struct lingerer, timer), "time");
}

static void linger_read(struct watch *w, uint32_t epoll_events)
{
	struct lingerer *g = container_of(w, struct lingerer, watch);
	char             piece[PIECE];

	(void)epoll_events;
	for (int i = 0; i < PIECES; i++) {
		/* With MSG_TRUNC, the kernel copies no bytes of a TCP socket (tcp(7)). */
		ssize_t n = recv(w->fd, piece, sizeof piece, MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			linger_end(g, "client");
			return;
		}
		g->read += (size_t)n;
		if (g->read > LIMIT_LINGER_BYTES) {
			linger_end(g, "bytes");
			return;
		}
	}
}

static bool take_place(void)
{
	if (atomic_fetch_add_explicit(&lingering, 1, memory_order_relaxed) < LIMIT_LINGERS)
		return true;
	atomic_fetch_sub_explicit(&lingering, 1, memory_order_relaxed);
	return false;
}

void linger_begin(struct server *s, int fd)
{
	struct lingerer *g = calloc(1, sizeof *g);

	if (!g || !take_place()) {
		free(g);
		count_end("crowd");
		return;
	}
	*g = (struct lingerer){ .server = s };
	g->watch.fn = linger_read;
	g->timer.fn = linger_late;
	list_put_front(&s->lingerers, &g->link);
	/* The library is about to close its descriptor; a duplicate keeps the socket open. */
	g->watch.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (g->watch.fd < 0 || !loop_watch(s->loop, &g->watch, EPOLLIN | EPOLLRDHUP)) {
		linger_end(g, "crowd");
		return;
	}
	shutdown(g->watch.fd, SHUT_WR); /* TLS has sent only its own end */
	timer_start(s->loop, &g->timer, (int64_t)LIMIT_LINGER_SECONDS * SECOND);
}

void linger_stop(struct server *s)
{
	struct lingerer *next;

	for (struct lingerer *g = LIST_FIRST(&s->lingerers, struct lingerer, link); g; g = next) {
		next = LIST_NEXT(g, struct lingerer, link);
		linger_end(g, "stop");
	}
}

/* --- slow: Clients that occupy a connection with almost no bytes: slow senders, and readers that do not
 * read. */

enum {
	/* The interval of looking at an idle connection; each look is a system call. */
	IDLE_LOOK_SECONDS = 5,
	/* Beyond the library's own limit for silence, only a drip of bytes keeps an idle connection
	 * open. */
	IDLE_SECONDS = LIMIT_KEEPALIVE_SECONDS + 15,
};

static bool tcp_info(const struct connection *c, struct tcp_info *ret)
{
	socklen_t n = sizeof *ret;

	memset(ret, 0, sizeof *ret);
	return getsockopt(c->watch.fd, IPPROTO_TCP, TCP_INFO, ret, &n) == 0;
}

/* is_trickling: true if bytes have arrived since the connection is idle, and have not made a request line
 * for a while. */
static bool is_trickling(struct connection *c, int64_t now)
{
	int64_t         idle = now - c->since_us;
	struct tcp_info info;

	if (idle < (int64_t)IDLE_LOOK_SECONDS * SECOND ||
	    now - c->slow_us < (int64_t)IDLE_LOOK_SECONDS * SECOND)
		return false;
	c->slow_us = now;
	/* The last bytes of its last request came before, though clocks may differ a little. */
	if (!tcp_info(c, &info) || (int64_t)info.tcpi_last_data_recv * 1000 > idle - SECOND)
		return false;
	return c->slow_bytes++ > 0;
}

static const char *idle_ends(struct connection *c, int64_t now)
{
	int64_t idle = now - c->since_us;

	if (c->surplus && idle > (int64_t)LIMIT_HEADER_SECONDS * SECOND)
		return "crowd";
	if (idle > (int64_t)IDLE_SECONDS * SECOND || is_trickling(c, now))
		return "head";
	return NULL;
}

/* dropped_ends: a dropped body holds no memory, but a connection. Its answer waits for the end of
 * the body, if the client really sends. */
static const char *dropped_ends(struct connection *c, int64_t now)
{
	size_t dropped = c->request->dropped;

	if (now - c->since_us > (int64_t)LIMIT_LINGER_SECONDS * SECOND)
		return "body";
	if (c->slow_us && c->slow_bytes == dropped)
		return now - c->slow_us > (int64_t)LIMIT_LINGER_SILENCE * SECOND ? "body" : NULL;
	c->slow_us = now;
	c->slow_bytes = dropped;
	return NULL;
}

static const char *body_ends(struct connection *c, int64_t now)
{
	const struct request *r = c->request;
	int64_t               us = now - c->since_us;

	if (r && r->dropped > 0 && !(r->route && r->route->body == BODY_UPLOAD))
		return dropped_ends(c, now);
	if (us > (int64_t)LIMIT_BODY_SECONDS * SECOND)
		return "body";
	/* The time of an upload begins again with each stretch of bytes. While the upload waits for
	 * a worker, the client can't send. */
	if (us <= (int64_t)LIMIT_BODY_SLOW_SECONDS * SECOND || !r || r->upload.waiting)
		return NULL;
	size_t came = r->upload.sink ? r->upload.stretch : r->input->body.len + r->dropped;
	return came < (size_t)(us / SECOND) * LIMIT_BODY_RATE ? "body" : NULL;
}

/* reader_ends: ends a client that hardly reads its answer. A suspended stream checks its own
 * client. */
static const char *reader_ends(struct connection *c, int64_t now)
{
	const struct request *r = c->request;
	struct tcp_info       info;

	/* Suspended: it waits for us. */
	if (!r || (r->phase != REQUEST_REPLIED && r->phase != REQUEST_STREAMING) || r->suspended ||
	    r->held) {
		c->slow_us = 0;
		return NULL;
	}
	if (c->slow_us && now - c->slow_us < (int64_t)LIMIT_STALL_SECONDS * SECOND)
		return NULL;
	if (!tcp_info(c, &info))
		return NULL; /* a unix socket: libmicrohttpd's limit for silence is left */

	uint64_t before = c->slow_us ? c->slow_bytes : 0;
	bool     slow = c->slow_us && info.tcpi_bytes_acked - before <
					  (uint64_t)LIMIT_STALL_SECONDS * LIMIT_READ_RATE;
	c->slow_us = now;
	c->slow_bytes = info.tcpi_bytes_acked;
	return slow ? "reader" : NULL;
}

const char *slow_ends(struct connection *c, int64_t now_us)
{
	switch (c->phase) {
	case CONNECTION_IDLE: return idle_ends(c, now_us);
	case CONNECTION_HEAD:
		return now_us - c->since_us > (int64_t)LIMIT_HEADER_SECONDS * SECOND ? "head"
										     : NULL;
	case CONNECTION_BODY: return body_ends(c, now_us);
	case CONNECTION_BUSY: return reader_ends(c, now_us);
	}
	return NULL;
}
