/* Too many connections: idle ones make room, and where none is idle, new ones are told.
 *
 * Every connection below max_connections has a seat.  A newcomer who finds all seats taken takes
 * over the seat of an idle connection, of its own server or of the server with most idle
 * connections:
 *
 *   the newcomer --claims a spare one, and has its seat--> the other server's loop --cuts its oldest-->
 *
 * A claimed connection loses its seat at once, though closing takes a moment: so the cuts are as
 * many as the newcomers.  If the other server's last idle connection got a request meanwhile, one
 * seat too many is taken until somebody leaves; one connection above the limit does less harm than
 * a refused newcomer or a call that is cut. */
#include "base/limits.h"
#include "base/metric.h"
#include "http/internal.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum {
	ROOM_A_LOOK = 16,        /* connections that make room for waiting ones at once */
	SILENT_US = 1000 * 1000, /* a new connection without a request for so long is idle, too */
};

static _Atomic size_t seats; /* taken, of all servers */

/* All servers of the process, changed only while no loop runs. */
static struct list_head servers;

void connection_cut(struct connection *c, const char *reason)
{
	shutdown(c->watch.fd, SHUT_RDWR);
	metric_add(METRIC_HTTP_CUTS, (const char *[]){ reason, "", "" }, 1);
}

static bool take_seat(size_t max)
{
	size_t n = atomic_load_explicit(&seats, memory_order_relaxed);

	while (n < max)
		if (atomic_compare_exchange_weak_explicit(&seats, &n, n + 1, memory_order_relaxed,
							  memory_order_relaxed))
			return true;
	return false;
}

static void leave_seat(void)
{
	atomic_fetch_sub_explicit(&seats, 1, memory_order_relaxed);
}

void crowd_idle(struct connection *c)
{
	struct crowd *w = &c->server->crowd;

	if (c->idle.in || !c->seated)
		return;
	list_put_back(&w->idle, &c->idle);
	atomic_fetch_add_explicit(&w->spare, 1, memory_order_relaxed);
}

void crowd_busy(struct connection *c)
{
	if (!c->idle.in)
		return;
	list_take_out(&c->idle);
	atomic_fetch_sub_explicit(&c->server->crowd.spare, 1, memory_order_relaxed);
}

void crowd_leave(struct connection *c)
{
	crowd_busy(c);
	if (c->seated)
		leave_seat();
}

void crowd_silent(struct connection *c, int64_t now_us)
{
	/* Before that its first request may still be on its way. */
	if (c->phase == CONNECTION_IDLE && now_us - c->since_us > SILENT_US)
		crowd_idle(c);
}

/* --- claims --- */

/* crowd_claim: promises one idle connection of s to the caller, on any thread; which one, the loop
 * of s decides in crowd_make_room. */
static bool crowd_claim(struct server *s)
{
	int64_t n = atomic_load_explicit(&s->crowd.spare, memory_order_relaxed);

	while (n > 0)
		if (atomic_compare_exchange_weak_explicit(
			    &s->crowd.spare, &n, n - 1, memory_order_relaxed, memory_order_relaxed))
			return true;
	return false;
}

/* crowd_make_room: keeps the promise of one claim.  The client whose connection has been idle
 * longest loses least: the idle time-out would close that connection before long. */
static void crowd_make_room(struct server *s)
{
	struct connection *oldest = LIST_FIRST(&s->crowd.idle, struct connection, idle);

	if (!oldest) {
		atomic_fetch_add_explicit(&s->crowd.spare, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&seats, 1, memory_order_relaxed);
		return;
	}
	list_take_out(&oldest->idle);
	oldest->seated = false;
	connection_cut(oldest, "room");
}

static void on_asked(struct task *t)
{
	struct server *s = container_of(t, struct server, crowd.task);
	unsigned       n = atomic_exchange(&s->crowd.asked, 0);

	while (n-- > 0)
		crowd_make_room(s);
}

/* server_with_most_idle: the other server with most idle connections; NULL: none has any. */
static struct server *server_with_most_idle(const struct server *s)
{
	struct server *most = NULL;
	int64_t        spare = 0;

	LIST_EACH (other, &servers, struct server, crowd.link) {
		int64_t n = atomic_load_explicit(&other->crowd.spare, memory_order_relaxed);

		if (other != s && n > spare) {
			most = other;
			spare = n;
		}
	}
	return most;
}

/* crowd_take_over: an idle connection's seat is the caller's; false: no connection is idle. */
static bool crowd_take_over(struct server *s)
{
	struct server *other;

	if (crowd_claim(s)) {
		crowd_make_room(s);
		return true;
	}
	while ((other = server_with_most_idle(s))) {
		if (!crowd_claim(other))
			continue;
		if (atomic_fetch_add(&other->crowd.asked, 1) == 0)
			loop_post(other->loop, &other->crowd.task);
		return true;
	}
	return false;
}

/* --- comings --- */

void crowd_look(struct server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_LISTEN_FD);
	struct tcp_info tcp = { 0 };
	socklen_t       n = sizeof tcp;
	bool            stuck = s->crowd.waits && s->crowd.opened == s->crowd.opened_before;

	s->crowd.opened_before = s->crowd.opened;
	/* On a listening socket, Linux counts the connections that wait for accept in
	 * tcpi_unacked. */
	s->crowd.waits = !s->quiesced && !s->on_unix && info &&
			 getsockopt(info->listen_fd, IPPROTO_TCP, TCP_INFO, &tcp, &n) == 0 &&
			 tcp.tcpi_unacked > 0;
	if (!stuck || !s->crowd.waits)
		return;
	for (unsigned i = 0; i < tcp.tcpi_unacked && i < ROOM_A_LOOK && crowd_take_over(s); i++)
		leave_seat();
}

void crowd_enter(struct connection *c)
{
	struct server *s = c->server;
	size_t         max = s->options->max_connections;

	s->crowd.opened++;
	if (max == SIZE_MAX)
		return;
	c->seated = take_seat(max) || crowd_take_over(s);
	c->surplus = !c->seated;
	if (c->surplus && atomic_load_explicit(&server_counters.connections, memory_order_relaxed) >
				  max + LIMIT_SURPLUS)
		connection_cut(c, "crowd");
}

void crowd_join(struct server *s)
{
	s->crowd.task.fn = on_asked;
	list_put_back(&servers, &s->crowd.link);
}

void crowd_part(struct server *s)
{
	list_take_out(&s->crowd.link);
}
