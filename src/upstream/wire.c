/* Sets connections up with libcurl, sends and receives, and keeps idle ones. */
#include "upstream/internal.h"

#include "base/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TLS_RECORD = 16 * 1024,      /* the most that one record carries */
	IDLE_US = 118 * 1000 * 1000, /* libcurl keeps its own as long */
};

/* State that only the set-up of a connection needs, and TLS for as long as it stands. */
struct dial {
	struct transfer transfer;
	struct wire    *wire;
	int             socket_errno;
	char            said[CURL_ERROR_SIZE];
};

struct wire {
	struct watch            watch;
	struct list_link        link; /* in the pool's list of idle ones */
	struct upstream_pool   *pool;
	struct upstream_target *target;  /* held */
	struct wire_user       *user;    /* NULL: idle */
	struct dial            *dial;    /* owned; NULL: the descriptor is ours */
	int64_t                 idle_us; /* since when */
	uint32_t                mask;    /* events in the epoll set; 0 and !watched: none */
	bool                    watched;
	bool                    stands;
	bool                    kept;
	bool                    drained; /* the last read left nothing in the kernel */
};

/* --- the end --- */

static void wire_unwatch(struct wire *w)
{
	if (w->watched)
		loop_unwatch(w->pool->loop, &w->watch);
	w->watched = false;
}

static void dial_destroy(struct wire *w)
{
	struct dial *d = TAKE(w->dial);

	handles_put_take(d->transfer.easy, w->target, HANDLE_CONNECT);
	free(d);
}

void wire_destroy(struct wire *w)
{
	if (!w)
		return;
	wire_unwatch(w);
	if (w->link.in)
		w->pool->idle_count--;
	list_take_out(&w->link);
	if (w->dial) {
		transfer_cancel(w->pool->transfers, &w->dial->transfer);
		dial_destroy(w);
	} else if (w->stands) {
		close(w->watch.fd);
	}
	upstream_target_destroy(w->target);
	free(w);
}

/* --- the set-up --- */

static void wire_idle_ready(struct wire *w);

static void wire_ready(struct watch *watch, uint32_t epoll_events)
{
	struct wire *w = container_of(watch, struct wire, watch);
	bool         failed = epoll_events & (EPOLLHUP | EPOLLERR);

	if (!w->user)
		wire_idle_ready(w);
	else if (failed && w->mask == 0)
		wire_unwatch(w); /* the user has paused, and would hear of it again and again */
	else
		w->user->ready(w->user, failed || (epoll_events & EPOLLIN),
			       epoll_events & EPOLLOUT);
}

/* wire_socket: the descriptor of the connection that stands. Without TLS it becomes ours, and the
 * handle is free for another set-up. */
static int wire_socket(struct wire *w)
{
	if (w->target->tls)
		return transfer_socket(w->pool->transfers, &w->dial->transfer);

	int fd = transfer_take_socket(w->pool->transfers, &w->dial->transfer);
	dial_destroy(w);
	return fd;
}

static void wire_on_dialled(struct transfer *t, int curl_code)
{
	struct dial *d = container_of(t, struct dial, transfer);
	struct wire *w = d->wire;
	struct err   e = { 0 };

	if (curl_code != CURLE_OK) {
		failure_fill(t->easy, (CURLcode)curl_code, d->said, false, d->socket_errno, &e);
		w->user->opened(w->user, &e);
		return;
	}
	w->watch = (struct watch){ .fn = wire_ready, .fd = wire_socket(w) };
	w->stands = w->watch.fd >= 0;
	if (!w->stands || !wire_want(w, true, false))
		err_set(&e, ERR_OVERLOADED, NULL, "no memory for a connection to the provider");
	w->user->opened(w->user, &e);
}

static bool wire_dial(struct wire *w)
{
	CURL        *easy = handles_get(w->target, HANDLE_CONNECT);
	struct dial *d = easy ? calloc(1, sizeof *d) : NULL;

	if (!d) {
		curl_easy_cleanup(easy);
		return false;
	}
	d->transfer = (struct transfer){ .easy = easy, .done = wire_on_dialled, .connect = true };
	d->wire = w;
	w->dial = d;
	return handles_set_errors(easy, d->said, &d->socket_errno) &&
	       transfer_start(w->pool->transfers, &d->transfer);
}

/* --- idle ones --- */

static struct list_head *wire_idle_list(struct upstream_pool *p, const struct upstream_target *t)
{
	/* A target is larger than 64 bytes, so two of them differ in the higher bits. */
	return &p->idle[(uintptr_t)t / 64 % ARRAY_LEN(p->idle)];
}

/* wire_is_farewell: the beginning of a 408, which a server may send on an idle connection before it closes
 * the connection (RFC 9110, section 15.5.9). */
static bool wire_is_farewell(struct str first)
{
	return first.n == strlen("HTTP/1.1 408") && memcmp(first.p, "HTTP/1.", 7) == 0 &&
	       memcmp(first.p + 8, " 408", 4) == 0;
}

/* wire_is_quiet: whether the connection stands, and nothing has come on it that nobody asked for.  What
 * TLS does for itself gives no bytes; the beginning of a record may be that or a surplus.  False: the
 * connection must be closed, for bytes may be lost. */
static bool wire_is_quiet(struct wire *w)
{
	char    first[12];
	bool    more;
	ssize_t n = wire_recv(w, first, sizeof first, &more);

	if (n > 0 && !wire_is_farewell((struct str){ first, (size_t)n }))
		target_distrust(w->target, loop_now_us(w->pool->loop));
	return n == WIRE_LATER && !(w->dial && secure_holds_bytes(w->dial->transfer.easy));
}

/* wire_is_alone: whether the connection may carry one call only. */
static bool wire_is_alone(const struct wire *w)
{
	return target_is_alone(w->target, loop_now_us(w->pool->loop));
}

/* The connection that was used last is the least likely to be closed by its server. */
static struct wire *wire_find_idle(struct upstream_pool *p, const struct upstream_target *t)
{
	LIST_EACH (w, wire_idle_list(p, t), struct wire, link)
		if (w->target == t)
			return w;
	return NULL;
}

static struct wire *wire_take_idle(struct upstream_pool *p, const struct upstream_target *t)
{
	for (struct wire *w; (w = wire_find_idle(p, t)); wire_destroy(w))
		if (wire_is_quiet(w) && !wire_is_alone(w)) {
			list_take_out(&w->link);
			p->idle_count--;
			w->kept = true;
			return w;
		}
	return NULL;
}

static void wire_idle_ready(struct wire *w)
{
	if (!wire_is_quiet(w))
		wire_destroy(w);
}

void wire_keep_take(struct wire *w)
{
	struct upstream_pool *p = w->pool;

	/* A read that was not filled has looked already. */
	if ((!w->drained && !wire_is_quiet(w)) || wire_is_alone(w) ||
	    p->idle_count >= LIMIT_UPSTREAM_IDLE || !wire_want(w, true, false)) {
		wire_destroy(w);
		return;
	}
	w->user = NULL;
	w->idle_us = loop_now_us(p->loop);
	list_put_front(wire_idle_list(p, w->target), &w->link);
	p->idle_count++;
	if (!timer_running(&p->sweep))
		timer_start(p->loop, &p->sweep, IDLE_US);
}

/* wire_sweep_list: the longest idle are last.  Returns since when the first one has been idle that
 * stays; INT64_MAX: none stays. */
static int64_t wire_sweep_list(const struct list_head *l, int64_t before_us)
{
	struct list_link *at = l->last;

	while (at) {
		struct wire *w = container_of(at, struct wire, link);

		if (w->idle_us > before_us)
			return w->idle_us;
		at = at->prev;
		wire_destroy(w);
	}
	return INT64_MAX;
}

void wire_sweep(struct upstream_pool *p, bool all)
{
	int64_t now_us = loop_now_us(p->loop);
	int64_t before_us = all ? INT64_MAX : now_us - IDLE_US;
	int64_t oldest_us = INT64_MAX;

	for (size_t i = 0; i < ARRAY_LEN(p->idle); i++) {
		int64_t since_us = wire_sweep_list(&p->idle[i], before_us);

		if (since_us < oldest_us)
			oldest_us = since_us;
	}
	if (p->idle_count > 0)
		timer_start(p->loop, &p->sweep, oldest_us + IDLE_US - now_us);
}

struct wire *wire_open(struct upstream_pool *p, struct upstream_target *t, bool fresh,
		       struct wire_user *u)
{
	struct wire *w = fresh ? NULL : wire_take_idle(p, t);

	if (w) {
		w->user = u;
		return w;
	}
	w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->pool = p;
	w->target = target_ref(t);
	w->user = u;
	if (wire_dial(w))
		return w;
	wire_destroy(w);
	return NULL;
}

bool wire_stands(const struct wire *w)
{
	return w->stands;
}

bool wire_was_kept(const struct wire *w)
{
	return w->kept;
}

/* --- bytes --- */

bool wire_want(struct wire *w, bool readable, bool writable)
{
	uint32_t mask = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);

	if (w->watched && w->mask == mask)
		return true;
	w->mask = mask;
	w->watched = w->watched ? loop_rewatch(w->pool->loop, &w->watch, mask)
				: loop_watch(w->pool->loop, &w->watch, mask);
	return w->watched;
}

static ssize_t wire_result(ssize_t n)
{
	if (n >= 0)
		return n;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? WIRE_LATER : WIRE_BROKEN;
}

static ssize_t tls_result(CURLcode code, size_t n)
{
	if (code == CURLE_OK)
		return (ssize_t)n;
	return code == CURLE_AGAIN ? WIRE_LATER : WIRE_BROKEN;
}

/* A head and a short body go out as one record. */
static ssize_t tls_send(struct wire *w, const struct iovec *iov, int count)
{
	char   record[TLS_RECORD];
	size_t n = 0;

	if (count == 1 || iov[0].iov_len >= sizeof record) {
		CURLcode code =
			curl_easy_send(w->dial->transfer.easy, iov[0].iov_base, iov[0].iov_len, &n);

		return tls_result(code, n);
	}

	size_t len = 0;
	for (int i = 0; i < count && len < sizeof record; i++) {
		size_t room = sizeof record - len;
		size_t part = iov[i].iov_len < room ? iov[i].iov_len : room;

		memcpy(record + len, iov[i].iov_base, part);
		len += part;
	}
	CURLcode code = curl_easy_send(w->dial->transfer.easy, record, len, &n);
	return tls_result(code, n);
}

ssize_t wire_send(struct wire *w, const struct iovec *iov, int count)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)(uintptr_t)iov,
			      .msg_iovlen = (size_t)count };

	if (w->target->tls)
		return tls_send(w, iov, count);
	return wire_result(sendmsg(w->watch.fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT));
}

ssize_t wire_recv(struct wire *w, char *to, size_t size, bool *ret_more)
{
	size_t n = 0;

	*ret_more = w->target->tls;
	if (!w->target->tls) {
		ssize_t got = wire_result(recv(w->watch.fd, to, size, MSG_DONTWAIT));

		w->drained = got > 0 && (size_t)got < size;
		return got;
	}

	CURLcode code = curl_easy_recv(w->dial->transfer.easy, to, size, &n);
	return tls_result(code, n);
}
