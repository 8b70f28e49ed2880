/* Too many connections: idle ones make room, and where none is idle, new ones are told. */
#include "base/limits.h"
#include "base/metric.h"
#include "http/internal.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { ROOM_A_LOOK = 16 }; /* connections that make room for waiting ones at once */

void connection_cut(struct connection *c, const char *reason)
{
	shutdown(c->watch.fd, SHUT_RDWR);
	metric_add(METRIC_HTTP_CUTS, (const char *[]){ reason, "", "" }, 1);
}

void crowd_idle(struct connection *c)
{
	/* One that is to be told must not make room for the next that is to be told. */
	if (!c->idle.in && !c->surplus)
		list_put_back(&c->server->idle, &c->idle);
}

void crowd_busy(struct connection *c)
{
	list_take_out(&c->idle);
}

void crowd_leave(struct connection *c)
{
	crowd_busy(c);
}

/* make_room: the client whose connection has been idle longest loses least: it would find it closed
 * before long. */
static void make_room(struct server *s)
{
	struct connection *oldest = LIST_FIRST(&s->idle, struct connection, idle);

	crowd_busy(oldest);
	connection_cut(oldest, "room");
}

void crowd_look(struct server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_LISTEN_FD);
	struct tcp_info tcp = { 0 };
	socklen_t       n = sizeof tcp;
	bool            stuck = s->clients_wait && s->opened == s->opened_before;

	s->opened_before = s->opened;
	/* Of a socket that listens: how many wait to be accepted. */
	s->clients_wait = !s->quiesced && !s->on_unix && info &&
			  getsockopt(info->listen_fd, IPPROTO_TCP, TCP_INFO, &tcp, &n) == 0 &&
			  tcp.tcpi_unacked > 0;
	if (!stuck || !s->clients_wait)
		return;
	for (unsigned i = 0; i < tcp.tcpi_unacked && i < ROOM_A_LOOK && s->idle.first; i++)
		make_room(s);
}

void crowd_enter(struct connection *c)
{
	struct server *s = c->server;
	size_t         max = s->options->max_connections;
	size_t open = atomic_load_explicit(&server_counters.connections, memory_order_relaxed);

	s->opened++;
	if (open > max && s->idle.first) {
		make_room(s);
	} else if (open > max) {
		c->surplus = true;
		if (open - max > LIMIT_SURPLUS)
			connection_cut(c, "crowd");
	}
	crowd_idle(c);
}
