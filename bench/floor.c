/* floor: forwards bytes between clients and one server, and does nothing else.
 *
 * Its CPU time is the floor under any gateway on this machine: one thread, epoll, a receive and a
 * send for each piece, no look at what passes.  Each client has a connection of its own to the
 * server.  Prints "floor ready on HOST:PORT" once it listens; ends with the first SIGTERM. */
#include "common.h"

enum { PIECE = 256 * 1024, EVENTS = 512 };

/* One of the two sockets of a client; what could not be sent to it waits here. */
struct end {
	int         fd;
	struct end *other;
	char       *rest; /* owned; NULL: nothing waits */
	size_t      rest_len;
	bool        dead; /* freed behind the turn's last event */
	struct end *next_dead;
};

static int                epfd;
static struct sockaddr_in server;
static struct end        *dead;
static char               piece[PIECE];

static void watch(struct end *e, uint32_t events, int op)
{
	struct epoll_event ev = { .events = events, .data.ptr = e };

	if (epoll_ctl(epfd, op, e->fd, &ev) < 0)
		die("epoll_ctl");
}

static void end_bury(struct end *e)
{
	if (e->dead)
		return;
	e->dead = true;
	close(e->fd);
	e->next_dead = dead;
	dead = e;
}

static void hang_up(struct end *e)
{
	end_bury(e->other);
	end_bury(e);
}

/* keep: a socket takes no more for now, so neither end is read until the rest is sent. */
static void keep(struct end *e, const char *p, size_t n)
{
	e->rest = must(malloc(n));
	memcpy(e->rest, p, n);
	e->rest_len = n;
	watch(e, EPOLLOUT, EPOLL_CTL_MOD);
	watch(e->other, 0, EPOLL_CTL_MOD);
}

static void forward(struct end *from)
{
	ssize_t n = recv(from->fd, piece, sizeof piece, 0);
	ssize_t sent;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(from);
		return;
	}
	sent = send(from->other->fd, piece, (size_t)n, 0);
	if (sent < 0 && errno == EAGAIN)
		sent = 0;
	if (sent < 0)
		hang_up(from);
	else if (sent < n)
		keep(from->other, piece + sent, (size_t)(n - sent));
}

static void send_rest(struct end *e)
{
	ssize_t sent = send(e->fd, e->rest, e->rest_len, 0);

	if (sent < 0 && errno == EAGAIN)
		return;
	if (sent < 0) {
		hang_up(e);
		return;
	}
	memmove(e->rest, e->rest + sent, e->rest_len - (size_t)sent);
	e->rest_len -= (size_t)sent;
	if (e->rest_len > 0)
		return;
	free(e->rest);
	e->rest = NULL;
	watch(e, EPOLLIN, EPOLL_CTL_MOD);
	watch(e->other, EPOLLIN, EPOLL_CTL_MOD);
}

static struct end *end_new(int fd)
{
	struct end *e = must(calloc(1, sizeof *e));

	e->fd = fd;
	no_delay(fd);
	return e;
}

static void take_clients(int listener)
{
	for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
		int         to = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		struct end *client = end_new(fd);
		struct end *upstream = end_new(to);

		client->other = upstream;
		upstream->other = client;
		/* what is sent before the connection stands waits as `rest` */
		if (connect(to, (struct sockaddr *)&server, sizeof server) < 0 &&
		    errno != EINPROGRESS)
			die("connect");
		watch(client, EPOLLIN, EPOLL_CTL_ADD);
		watch(upstream, EPOLLIN, EPOLL_CTL_ADD);
	}
}

static void bury(void)
{
	while (dead) {
		struct end *e = dead;

		dead = e->next_dead;
		free(e->rest);
		free(e);
	}
}

static void serve(int listener)
{
	struct epoll_event evs[EVENTS];

	for (;;) {
		int n = epoll_wait(epfd, evs, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			struct end *e = evs[i].data.ptr;

			if (!e)
				take_clients(listener);
			else if (!e->dead && e->rest)
				send_rest(e);
			else if (!e->dead && !e->other->rest)
				forward(e);
		}
		bury();
	}
}

static void end(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	char               host[64];
	int                port = 0;
	int                listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in own = address("127.0.0.1", 0);
	socklen_t          len = sizeof own;
	struct epoll_event ev = { .events = EPOLLIN };

	if (argc != 2 || sscanf(argv[1], "%63[0-9.]:%d", host, &port) != 2) {
		fprintf(stderr, "usage: floor HOST:PORT\n");
		return 2;
	}
	raise_nofile();
	signal(SIGTERM, end);
	server = address(host, port);
	epfd = epoll_create1(EPOLL_CLOEXEC);
	if (listener < 0 || bind(listener, (struct sockaddr *)&own, sizeof own) < 0 ||
	    listen(listener, 8192) < 0 ||
	    getsockname(listener, (struct sockaddr *)&own, &len) < 0 ||
	    epoll_ctl(epfd, EPOLL_CTL_ADD, listener, &ev) < 0)
		die("listen");
	printf("floor ready on 127.0.0.1:%d\n", ntohs(own.sin_port));
	fflush(stdout);
	serve(listener);
}
