/* A scripted server on a loopback port, on a thread of its own: what a provider might do. */
#pragma once

#include "base/buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/sockios.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum act {
	ACT_STOP, /* the end of the script */
	ACT_ACCEPT,
	ACT_READ,  /* one whole request */
	ACT_SEND,  /* text */
	ACT_FLOOD, /* text again and again, until the peer takes no more */
	ACT_SPLIT, /* text, byte by byte */
	ACT_HOLD,  /* until the peer closes */
	ACT_GATE,  /* until the test sets go */
	ACT_TELL,  /* sets told, when the peer's kernel has all that was sent */
	ACT_CLOSE,
	ACT_RESET,
	ACT_FIRST, /* goes back to the connection accepted first */
};

enum { LOOPBACK_CONNECTIONS = 64 };

struct step {
	enum act    act;
	const char *text;
};

struct loopback {
	int                listener;
	unsigned           port;
	pthread_t          thread;
	const struct step *script;
	struct buf    seen; /* all requests, one after the other; read it after loopback_stop */
	int           fds[LOOPBACK_CONNECTIONS]; /* open until the script ends */
	atomic_int    accepted;
	atomic_bool   held; /* the peer closed while we held */
	atomic_bool   go;
	atomic_bool   told;
	atomic_size_t flooded;
};

static inline void loopback_send(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		p += sent;
		n -= (size_t)sent;
	}
}

/* One request with a Content-Length; what came with it counts as read. */
static inline void loopback_read(struct loopback *s, int fd)
{
	size_t start = s->seen.len;
	char   chunk[4096];

	for (;;) {
		char  *from = s->seen.len > start ? s->seen.data + start : NULL;
		size_t have = s->seen.len - start;
		char  *end = from ? memmem(from, have, "\r\n\r\n", 4) : NULL;

		if (end) {
			char  *length = memmem(from, (size_t)(end - from), "Content-Length: ", 16);
			size_t body = length ? strtoul(length + 16, NULL, 10) : 0;

			if (have >= (size_t)(end + 4 - from) + body)
				return;
		}
		ssize_t n = recv(fd, chunk, sizeof chunk, 0);
		if (n <= 0 || !buf_add(&s->seen, chunk, (size_t)n))
			return;
	}
}

/* Takes what comes until the peer closes; gives up after 10 s, so that a test fails and not hangs. */
static inline void loopback_hold(struct loopback *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char          chunk[4096];

	while (poll(&p, 1, 10000) > 0)
		if (recv(fd, chunk, sizeof chunk, 0) <= 0) {
			s->held = true;
			return;
		}
}

/* Until nothing has been taken for 200 ms. */
static inline void loopback_flood(struct loopback *s, int fd, const char *text)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (poll(&p, 1, 200) > 0) {
		ssize_t n = send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0 && p.revents & (POLLERR | POLLHUP))
			return;
		if (n > 0)
			s->flooded += (size_t)n;
	}
}

static inline void loopback_close(struct loopback *s, int fd)
{
	for (int i = 0; i < LOOPBACK_CONNECTIONS; i++)
		if (s->fds[i] == fd)
			s->fds[i] = -1;
	close(fd);
}

/* Until the peer has acknowledged all bytes, which then wait in its kernel or were read. */
static inline void loopback_tell(struct loopback *s, int fd)
{
	int waiting = 1;

	while (ioctl(fd, SIOCOUTQ, &waiting) == 0 && waiting > 0)
		poll(NULL, 0, 1);
	atomic_store(&s->told, true);
}

static inline void *loopback_main(void *arg)
{
	struct loopback *s = arg;
	int              fd = -1;
	int              one = 1;

	for (const struct step *step = s->script; step->act != ACT_STOP; step++) {
		switch (step->act) {
		case ACT_ACCEPT:
			fd = accept(s->listener, NULL, NULL);
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
			s->fds[s->accepted % LOOPBACK_CONNECTIONS] = fd;
			s->accepted++;
			break;
		case ACT_FIRST: fd = s->fds[0]; break;
		case ACT_READ: loopback_read(s, fd); break;
		case ACT_SEND: loopback_send(fd, step->text, strlen(step->text)); break;
		case ACT_FLOOD: loopback_flood(s, fd, step->text); break;
		case ACT_SPLIT:
			for (const char *p = step->text; *p; p++)
				loopback_send(fd, p, 1);
			break;
		case ACT_HOLD: loopback_hold(s, fd); break;
		case ACT_GATE:
			while (!atomic_load(&s->go))
				poll(NULL, 0, 1);
			break;
		case ACT_TELL: loopback_tell(s, fd); break;
		case ACT_RESET:
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 },
				   sizeof(struct linger));
			loopback_close(s, fd);
			break;
		case ACT_CLOSE: loopback_close(s, fd); break;
		case ACT_STOP: break;
		}
	}
	for (int i = 0; i < s->accepted && i < LOOPBACK_CONNECTIONS; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	return NULL;
}

/* loopback_start: listens on a port that the system chooses, and runs the script. */
static inline void loopback_start(struct loopback *s, const struct step *script)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t          n = sizeof addr;

	memset(s, 0, sizeof *s);
	buf_init(&s->seen, 8u << 20);
	s->script = script;
	memset(s->fds, -1, sizeof s->fds);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(s->listener >= 0);
	assert_int_equal(bind(s->listener, (struct sockaddr *)&addr, sizeof addr), 0);
	assert_int_equal(listen(s->listener, 16), 0);
	assert_int_equal(getsockname(s->listener, (struct sockaddr *)&addr, &n), 0);
	s->port = ntohs(addr.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, loopback_main, s), 0);
}

static inline void loopback_join(struct loopback *s)
{
	shutdown(s->listener, SHUT_RDWR); /* wakes an accept that nobody will answer */
	pthread_join(s->thread, NULL);
	close(s->listener);
}

static inline void loopback_finish(struct loopback *s)
{
	buf_finish(&s->seen);
}
