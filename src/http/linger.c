/* Clients that were refused before the end of their body and are still sending. Their bytes are
 * read and dropped for a while. If a socket is closed with unread bytes, the system resets the
 * connection, and the client may lose the answer; most clients read only after their last byte. */
#include "base/limits.h"
#include "base/metric.h"
#include "http/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
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
