/* Clients that occupy a connection with almost no bytes: slow senders, and readers that do not
 * read. */
#include "base/limits.h"
#include "http/internal.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum {
	SECOND = 1000000,
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
