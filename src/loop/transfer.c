/* The loop drives libcurl's multi handles: sockets are in its epoll set, deadlines in its idle
 * work. */
#include "loop/transfer.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MULTIS = 16,
	/* Multis after those: libcurl runs all streams of a connection for each event of one. */
	SHARED = 4,
	CONNECTS = 64,     /* after the shared ones: for transfers that only set a connection up */
	CONNECTS_FEW = 16, /* connects of a multi before the next one is used: a multi has 40 KB */
	CONNECTIONS_KEPT = 1024, /* for each multi; libcurl's default closes idle ones early */
	STREAMS = 32,            /* on one connection: those that break with it */
};

struct multi {
	struct transfers *owner;
	CURLM            *curl;      /* made when first needed */
	int64_t           due_us;    /* INT64_MAX: nothing */
	bool              announced; /* the timer callback ran since we last looked */
	unsigned          connects;  /* handles in it that only set a connection up */
};

/* One descriptor of libcurl, found by its number. libcurl wants a connection polled from the start
 * of a transfer to its end, and kept alive in between. At the end, the descriptor stays in the
 * epoll set, so that the next start only has to change the entry. */
struct curl_socket {
	struct watch           watch;
	struct multi          *multi;
	const struct transfer *user;    /* the running transfer, maybe paused; NULL: none */
	bool                   wanted;  /* libcurl wants it polled now */
	bool                   watched; /* it is in the epoll set */
	bool                   taken;   /* libcurl must not close it */
	uint32_t               mask;    /* events in the epoll set */
};

struct transfers {
	struct loop         *loop;
	struct multi         multi[MULTIS + SHARED + CONNECTS];
	unsigned             turn; /* index of the multi for the next transfer */
	unsigned             shared_turn;
	unsigned             connect_turn;
	int64_t              due_us; /* not later than any multi's; INT64_MAX: nothing */
	struct list_head     active;
	struct curl_socket **sockets; /* indexed by descriptor; array and entries owned */
	size_t               sockets_cap;
};

struct loop *transfers_loop(struct transfers *ts)
{
	return ts->loop;
}

static void deactivate_transfer(struct transfers *ts, struct transfer *t)
{
	list_take_out(&t->link);
	if (t->connect)
		ts->multi[t->multi].connects--;
	if (t->socket >= 0 && ts->sockets[t->socket]->user == t)
		ts->sockets[t->socket]->user = NULL;
	curl_multi_remove_handle(ts->multi[t->multi].curl, t->easy);
}

/* When a transfer is given up, libcurl 7.88 resets its stream, but keeps the frame until the
 * connection is used again. Any call for another transfer of the same handle sends the frame. */
static void flush_resets(struct transfers *ts, unsigned multi)
{
	LIST_EACH (t, &ts->active, struct transfer, link)
		if (t->multi == multi) {
			curl_easy_pause(t->easy, CURLPAUSE_SEND);
			curl_easy_pause(t->easy, CURLPAUSE_CONT);
		}
}

/* Reports finished transfers. This follows each action at once, because a removal scans libcurl's
 * list of messages. */
static void transfer_drain(struct multi *m)
{
	int      left;
	CURLMsg *msg;

	while ((msg = curl_multi_info_read(m->curl, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;

		CURLcode         code = msg->data.result;
		CURL            *easy = msg->easy_handle;
		struct transfer *t = NULL;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &t);
		if (!t->connect || code != CURLE_OK)
			deactivate_transfer(m->owner, t);
		if (t->shared && code != CURLE_OK)
			flush_resets(m->owner, t->multi);
		loop_step(m->owner->loop);
		t->done(t, (int)code);
		loop_step(m->owner->loop);
	}
}

static void socket_unwatch(struct curl_socket *s)
{
	if (s->watched)
		loop_unwatch(s->multi->owner->loop, &s->watch);
	s->watched = false;
}

static void socket_ready(struct watch *w, uint32_t epoll_events)
{
	struct curl_socket *s = container_of(w, struct curl_socket, watch);
	struct multi       *m = s->multi;
	int                 running;
	int mask = ((epoll_events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) ? CURL_CSELECT_IN : 0) |
		   ((epoll_events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
		   ((epoll_events & EPOLLERR) ? CURL_CSELECT_ERR : 0);

	if (!s->wanted) { /* libcurl looks at an idle connection itself, before it uses it again */
		socket_unwatch(s);
		return;
	}
	curl_multi_socket_action(m->curl, w->fd, mask, &running);
	transfer_drain(m);
}

/* socket_of: the entry of a descriptor, created if there is none; NULL: no memory. */
static struct curl_socket *socket_of(struct transfers *ts, int fd)
{
	size_t at = (size_t)fd;
	size_t cap = ts->sockets_cap ? ts->sockets_cap : 64;

	while (cap <= at)
		cap *= 2;
	if (cap > ts->sockets_cap) {
		struct curl_socket **more =
			realloc(ts->sockets, cap * sizeof(struct curl_socket *));

		if (!more)
			return NULL;
		memset(more + ts->sockets_cap, 0,
		       (cap - ts->sockets_cap) * sizeof(struct curl_socket *));
		ts->sockets = more;
		ts->sockets_cap = cap;
	}
	if (!ts->sockets[at])
		ts->sockets[at] = calloc(1, sizeof(struct curl_socket));
	return ts->sockets[at];
}

static bool socket_watch(struct curl_socket *s, uint32_t mask)
{
	struct loop *l = s->multi->owner->loop;

	s->mask = mask;
	/* libcurl's name look-ups close their descriptors without a callback. */
	s->watched =
		(s->watched && loop_rewatch(l, &s->watch, mask)) || loop_watch(l, &s->watch, mask);
	return s->watched;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	struct multi       *m = arg;
	struct curl_socket *s = socket_of(m->owner, fd);
	uint32_t            mask =
		(what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);

	(void)socket_arg;
	if (!s)
		return -1;
	if (what != CURL_POLL_REMOVE && s->wanted && s->mask == mask && s->multi == m)
		return 0;
	s->wanted = what != CURL_POLL_REMOVE;
	if (s->wanted) {
		struct transfer *t = NULL;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &t);
		if (t)
			t->socket = fd;
		s->user = t;
		s->multi = m;
		s->watch = (struct watch){ .fn = socket_ready, .fd = fd };
		return socket_watch(s, mask) ? 0 : -1;
	}
	/* An error here would end every transfer of the handle.  libcurl has closed the descriptor
	 * already if the limit of a connection's set-up was over. */
	if (s->watched && s->mask != EPOLLIN)
		(void)!socket_watch(s, EPOLLIN);
	return 0;
}

/* libcurl closes the descriptor, and the system may give its number to another file. */
static int transfer_on_close(void *arg, curl_socket_t fd)
{
	struct transfers *ts = arg;

	if ((size_t)fd < ts->sockets_cap && ts->sockets[fd]) {
		socket_unwatch(ts->sockets[fd]);
		ts->sockets[fd]->user = NULL;
		if (ts->sockets[fd]->taken) {
			ts->sockets[fd]->taken = false;
			return 0;
		}
	}
	return close(fd);
}

static int transfer_on_timer(CURLM *curl, long after_ms, void *arg)
{
	struct multi *m = arg;

	(void)curl;
	m->due_us = after_ms < 0 ? INT64_MAX : loop_now_us(m->owner->loop) + after_ms * 1000;
	if (m->due_us < m->owner->due_us)
		m->owner->due_us = m->due_us;
	m->announced = true;
	return 0;
}

/* libcurl does not announce an unchanged deadline again after it has fired. A lost deadline would
 * be a transfer that hangs, so the loop asks for it. */
static void fire_timer(struct multi *m)
{
	int running;

	m->announced = false;
	curl_multi_socket_action(m->curl, CURL_SOCKET_TIMEOUT, 0, &running);
	transfer_drain(m);
	if (m->announced)
		return;

	long after_ms = -1;
	curl_multi_timeout(m->curl, &after_ms);
	/* The wait is at least a millisecond: libcurl truncates the rest of the time, and 0 would
	 * spin. */
	m->due_us = after_ms < 0
			    ? INT64_MAX
			    : loop_now_us(m->owner->loop) + (after_ms > 0 ? after_ms : 1) * 1000;
}

/* Most turns have no deadline that is due, and look at no multi. */
static bool transfers_idle(void *arg, int64_t *timeout_us)
{
	struct transfers *ts = arg;
	int64_t           now = loop_now_us(ts->loop);
	bool              worked = false;

	if (ts->due_us <= now) {
		ts->due_us = INT64_MAX;
		for (size_t i = 0; i < ARRAY_LEN(ts->multi); i++) {
			struct multi *m = &ts->multi[i];

			if (m->due_us <= now) {
				fire_timer(m);
				worked = true;
			}
			if (m->due_us < ts->due_us)
				ts->due_us = m->due_us;
		}
	}
	if (ts->due_us != INT64_MAX && ts->due_us - now < *timeout_us)
		*timeout_us = ts->due_us - now;
	return worked;
}

enum errc transfers_create(struct loop *l, struct transfers **ret, struct err *e)
{
	struct transfers *ts = calloc(1, sizeof *ts);

	if (!ts || !loop_add_idle(l, transfers_idle, ts)) {
		free(ts);
		return err_set(e, ERR_INTERNAL, "", "out of memory for transfers");
	}
	ts->loop = l;
	ts->due_us = INT64_MAX;
	for (size_t i = 0; i < ARRAY_LEN(ts->multi); i++)
		ts->multi[i] = (struct multi){ .owner = ts, .due_us = INT64_MAX };
	*ret = ts;
	return ERR_OK;
}

void transfers_destroy(struct transfers *ts)
{
	if (!ts)
		return;
	for (struct transfer *t; (t = LIST_FIRST(&ts->active, struct transfer, link));) {

		deactivate_transfer(ts, t);
		t->done(t, CURLE_ABORTED_BY_CALLBACK);
	}
	for (size_t i = 0; i < ARRAY_LEN(ts->multi); i++)
		if (ts->multi[i].curl)
			curl_multi_cleanup(ts->multi[i].curl);
	for (size_t i = 0; i < ts->sockets_cap; i++)
		free(ts->sockets[i]);
	free(ts->sockets);
	free(ts);
}

static bool multi_open(struct multi *m)
{
	if (m->curl)
		return true;
	m->curl = curl_multi_init();
	if (!m->curl)
		return false;
	curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
	curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, transfer_on_timer);
	curl_multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
	curl_multi_setopt(m->curl, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
	curl_multi_setopt(m->curl, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS);
	curl_multi_setopt(
		m->curl, CURLMOPT_PIPELINING,
		(long)(m - m->owner->multi >= MULTIS && m - m->owner->multi < MULTIS + SHARED
			       ? CURLPIPE_MULTIPLEX
			       : CURLPIPE_NOTHING));
	return true;
}

static unsigned connect_multi(struct transfers *ts)
{
	for (unsigned i = MULTIS + SHARED; i < MULTIS + SHARED + CONNECTS; i++)
		if (ts->multi[i].connects < CONNECTS_FEW)
			return i;
	return MULTIS + SHARED + ts->connect_turn++ % CONNECTS;
}

/* transfer_multi: the index of the multi that takes the transfer; each kind takes its own in turns. */
static unsigned transfer_multi(struct transfers *ts, const struct transfer *t)
{
	if (t->connect)
		return connect_multi(ts);
	if (t->shared)
		return MULTIS + ts->shared_turn++ % SHARED;
	return ts->turn++ % MULTIS;
}

bool transfer_start(struct transfers *ts, struct transfer *t)
{
	unsigned      at = transfer_multi(ts, t);
	struct multi *m = &ts->multi[at];

	if (!multi_open(m))
		return false;
	t->multi = at;
	t->socket = -1;
	curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
	/* libcurl would forget the socket of a connection that is only set up. */
	curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, t->connect || t->shared ? 0L : 1L);
	curl_easy_setopt(t->easy, CURLOPT_CLOSESOCKETFUNCTION, transfer_on_close);
	curl_easy_setopt(t->easy, CURLOPT_CLOSESOCKETDATA, ts);
	if (curl_multi_add_handle(m->curl, t->easy) != CURLM_OK)
		return false;
	list_put_front(&ts->active, &t->link);
	if (t->connect)
		m->connects++;
	return true;
}

void transfer_cancel(struct transfers *ts, struct transfer *t)
{
	if (!t->link.in)
		return;
	/* A transfer that is alone on its connection closes the connection too (see
	 * flush_resets). */
	curl_easy_setopt(t->easy, CURLOPT_FORBID_REUSE, 1L);
	deactivate_transfer(ts, t);
	if (t->shared)
		flush_resets(ts, t->multi);
}

/* transfer_stop_watching: the entry of a connection that was set up; NULL: there is none. */
static struct curl_socket *transfer_stop_watching(struct transfers *ts, const struct transfer *t)
{
	curl_socket_t       fd = CURL_SOCKET_BAD;
	struct curl_socket *s;

	curl_easy_getinfo(t->easy, CURLINFO_ACTIVESOCKET, &fd);
	if (fd == CURL_SOCKET_BAD || !(s = socket_of(ts, fd)))
		return NULL;
	socket_unwatch(s);
	s->watch.fd = fd;
	s->user = NULL;
	return s;
}

int transfer_socket(struct transfers *ts, struct transfer *t)
{
	const struct curl_socket *s = transfer_stop_watching(ts, t);

	return s ? s->watch.fd : -1;
}

int transfer_take_socket(struct transfers *ts, struct transfer *t)
{
	struct curl_socket *s = transfer_stop_watching(ts, t);

	if (s)
		s->taken = true;
	deactivate_transfer(ts, t);
	return s ? s->watch.fd : -1;
}

void transfer_unpause(struct transfers *ts, struct transfer *t)
{
	(void)ts;
	if (t->link.in)
		curl_easy_pause(t->easy, CURLPAUSE_CONT);
}
