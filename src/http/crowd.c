/* Too many connections: idle ones make room, and where none is idle, new ones are told. */
#include "base/limits.h"
#include "base/metric.h"
#include "http/internal.h"

#include <stdatomic.h>
#include <sys/socket.h>

void connection_cut(struct connection *c, const char *reason)
{
	shutdown(c->watch.fd, SHUT_RDWR);
	metric_add(METRIC_HTTP_CUTS, (const char *[]){ reason, "", "" }, 1);
}

void crowd_idle(struct connection *c)
{
	struct server *s = c->server;

	/* One that is to be told must not make room for the next that is to be told. */
	if (c->waiting || c->surplus)
		return;
	c->waiting = true;
	c->idle_next = NULL;
	c->idle_prev = s->idle_last;
	if (s->idle_last)
		s->idle_last->idle_next = c;
	else
		s->idle_first = c;
	s->idle_last = c;
}

void crowd_busy(struct connection *c)
{
	struct server *s = c->server;

	if (!c->waiting)
		return;
	c->waiting = false;
	if (c->idle_prev)
		c->idle_prev->idle_next = c->idle_next;
	else
		s->idle_first = c->idle_next;
	if (c->idle_next)
		c->idle_next->idle_prev = c->idle_prev;
	else
		s->idle_last = c->idle_prev;
}

void crowd_leave(struct connection *c)
{
	crowd_busy(c);
}

/* crowd_enter: the client whose connection has been idle longest loses least: it would find it
 * closed before long. */
void crowd_enter(struct connection *c)
{
	struct server *s = c->server;
	size_t         max = s->options->max_connections;
	size_t         open = atomic_load_explicit(&server_counters.connections, memory_order_relaxed);

	if (open > max && s->idle_first) {
		struct connection *oldest = s->idle_first;

		crowd_busy(oldest);
		connection_cut(oldest, "room");
	} else if (open > max) {
		c->surplus = true;
		if (open - max > LIMIT_SURPLUS)
			connection_cut(c, "crowd");
	}
	crowd_idle(c);
}
