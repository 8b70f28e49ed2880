/* Sends an answer in pieces to a client: chunks, writing, silence, back pressure, dead readers. */
#include "http/stream.h"

#include "base/limits.h"
#include "http/internal.h"
#include "http/reply.h"
#include "msg/family.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	CHUNK_MAX = 256 * KIB, /* one chunk; keeps its size line short */
	SIZE_LINE = 16,
	BLOCK_HTTP10 =
		4 * KIB, /* libmicrohttpd's own buffer; for chunks it takes the connection's pool */
	SETTLED_US = 250 * 1000,
};

/* In both ways libmicrohttpd has a response whose content comes from `reader`: the library sends
 * the head and the last chunk, and keeps the connection for the next request.  The library asks the
 * reader only when nothing of its own is left to send, and the reader suspends the connection until
 * there is more.  Direct: meanwhile we write chunks to the descriptor ourselves, and the reader
 * gives nothing but the end.  HTTP/1.0, where no chunks are, and TLS, where only the library can
 * write, take all bytes through the reader. */
struct stream {
	struct request             *request;
	const struct stream_source *source;
	void                       *arg;
	bool                        direct;
	bool                        waking; /* the task is in the loop's list */
	bool         parked;    /* suspended by the reader: the library has sent all its bytes */
	bool         blocked;   /* direct way: the socket is full */
	bool         ended;     /* over was called */
	bool         whole;     /* all bytes were passed on, and the answer is not broken */
	bool         alive_due; /* after a long silence */
	struct task  task;
	struct timer timer;    /* silence, and a reader that takes nothing */
	int64_t      moved_us; /* time of the last sent bytes */
	char        *room;     /* borrowed from the library's pool; NULL: returned */
	size_t       room_len;

	/* Direct way: the chunk under way.  Its size line, then `left` bytes of what the source has ready
	 * (or of stream_alive), then the line's end. */
	char   line[SIZE_LINE];
	size_t line_len;
	size_t line_at;
	size_t left;
	size_t end_left;
	bool   in_alive;
	bool   last; /* nothing comes after it */
};

static const char line_end[] = "\r\n";
enum { LINE_END = sizeof line_end - 1 };

/* stream_alive: what a silent stream sends. */
static struct str stream_alive(const struct stream *s)
{
	const struct family *f = request_family(s->request);

	return f->keep_alive ? str_of(f->keep_alive) : f->framing->keep_alive;
}

static int64_t stream_now_us(const struct stream *s)
{
	return loop_now_us(s->request->server->loop);
}

static int64_t stream_keep_alive_us(const struct stream *s)
{
	const struct server_options *o = s->request->server->options;

	return o->settings(o->arg)->keep_alive_us;
}

/* --- the end --- */

static void tell_over(struct stream *s, bool whole)
{
	if (s->ended)
		return;
	s->ended = true;
	s->whole = whole && !(s->source->broken && s->source->broken(s->arg));
	timer_stop(s->request->server->loop, &s->timer);
	s->source->over(s->arg, whole);
}

/* stream_go_on: makes libmicrohttpd ask the reader again. */
static void stream_go_on(struct stream *s)
{
	s->parked = false;
	request_resume(s->request);
}

static void stream_end(struct stream *s, bool whole)
{
	tell_over(s, whole);
	stream_go_on(s);
}

/* end_verdict: what the library must do with the connection at the end of a stream. */
static ssize_t end_verdict(const struct stream *s)
{
	if (!s->whole)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	/* The head promised to go on before the server began to stop: after the last chunk the
	 * library finds the end of the client's side, and closes. */
	if (s->request->server->quiesced)
		shutdown(s->request->connection->watch.fd, SHUT_RD);
	return MHD_CONTENT_READER_END_OF_STREAM;
}

void stream_completed(struct stream *s)
{
	tell_over(s, false);
	atomic_fetch_sub_explicit(&server_counters.streams, 1, memory_order_relaxed);
	s->request->stream = NULL;
	/* The task is in a list of the loop, so the task frees the stream. */
	s->request = NULL;
	if (!s->waking)
		free(s);
}

void stream_reader_left(struct stream *s)
{
	stream_end(s, false);
}

/* --- the direct way --- */

/* put_size: the line before a chunk, with its size in hexadecimal; returns the line's length. */
static size_t put_size(char line[SIZE_LINE], size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t            digits = 1;

	for (size_t rest = size >> 4; rest > 0; rest >>= 4)
		digits++;
	CHECK(digits + LINE_END <= SIZE_LINE);
	for (size_t i = digits; i-- > 0; size >>= 4)
		line[i] = hex[size & 15];
	memcpy(line + digits, "\r\n", LINE_END);
	return digits + LINE_END;
}

/* Starts the next chunk if there are bytes to send; false: none. */
static bool next_chunk(struct stream *s)
{
	struct str ready = s->source->ready(s->arg, &s->last);

	s->in_alive = ready.n == 0 && !s->last && s->alive_due;
	if (s->in_alive)
		ready = stream_alive(s);
	if (ready.n == 0)
		return false;
	s->alive_due = false;
	s->left = ready.n < CHUNK_MAX ? ready.n : CHUNK_MAX;
	s->last = s->last && s->left == ready.n;
	s->line_at = 0;
	s->line_len = put_size(s->line, s->left);
	s->end_left = LINE_END;
	return true;
}

static size_t stream_gather(struct stream *s, struct iovec iov[3])
{
	size_t n = 0;
	bool   last;

	if (s->line_at < s->line_len)
		iov[n++] = (struct iovec){ s->line + s->line_at, s->line_len - s->line_at };
	if (s->left > 0) {
		struct str ready = s->in_alive ? stream_alive(s) : s->source->ready(s->arg, &last);
		if (s->in_alive)
			ready.p += ready.n - s->left;
		iov[n++] = (struct iovec){ (void *)(uintptr_t)ready.p, s->left };
	}
	iov[n++] = (struct iovec){ (void *)(uintptr_t)(line_end + LINE_END - s->end_left),
				   s->end_left };
	return n;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Counts n sent bytes as size line, content and line end, in this order. */
static void stream_advance(struct stream *s, size_t n)
{
	size_t part = min_size(n, s->line_len - s->line_at);

	s->line_at += part;
	n -= part;
	part = min_size(n, s->left);
	s->left -= part;
	n -= part;
	s->request->bytes_out += part;
	if (part > 0 && !s->in_alive)
		s->source->taken(s->arg, part);
	s->end_left -= n;
}

static void watch_room(struct stream *s, bool on)
{
	if (s->blocked == on)
		return;
	s->blocked = on;
	if (on) /* from now on a stall is looked for */
		timer_start(s->request->server->loop, &s->timer, 1000000);
	if (!loop_rewatch(s->request->server->loop, &s->request->connection->watch,
			  EPOLLRDHUP | EPOLLET | (on ? EPOLLOUT : 0u)))
		stream_end(s, false);
}

/* Called only between two calls of the reader, or within one. */
static void direct_write(struct stream *s)
{
	int fd = s->request->connection->watch.fd;

	while (!s->ended) {
		struct iovec  iov[3];
		struct msghdr msg = { .msg_iov = iov };

		if (s->end_left == 0 && (s->last || !next_chunk(s))) {
			watch_room(s, false);
			if (s->last && !s->ended)
				stream_end(s, true);
			return;
		}
		msg.msg_iovlen = stream_gather(s, iov);

		ssize_t n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			watch_room(s, true);
			return;
		}
		if (n < 0) {
			stream_end(s, false);
			return;
		}
		s->moved_us = stream_now_us(s);
		stream_advance(s, (size_t)n);
	}
}

/* give_back_room: libmicrohttpd writes over its whole pool for each answer, 24 KiB.  While we write
 * ourselves nothing of what is left of the pool is used, so the pages need not stay for as long as
 * the stream does. */
static void give_back_room(struct stream *s)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)s->room + page - 1) & ~(page - 1);
	uintptr_t end_of = ((uintptr_t)s->room + s->room_len) & ~(page - 1);

	s->room = NULL;
	if (first < end_of)
		madvise((void *)first, end_of - first, MADV_DONTNEED);
}

void stream_writable(struct stream *s)
{
	if (s->direct && s->parked)
		direct_write(s);
}

/* --- the library's way --- */

static ssize_t library_write(struct stream *s, char *out, size_t max)
{
	bool       last = false;
	struct str ready = s->source->ready(s->arg, &last);
	bool       is_alive = ready.n == 0 && !last && s->alive_due;

	if (ready.n == 0 && last)
		tell_over(s, true);
	if (is_alive)
		ready = stream_alive(s);
	size_t n = min_size(ready.n, max);
	if (n == 0)
		return 0;
	memcpy(out, ready.p, n);
	s->alive_due = false;
	s->moved_us = stream_now_us(s);
	s->request->bytes_out += n;
	if (!is_alive)
		s->source->taken(s->arg, n);
	return (ssize_t)n;
}

/* --- both --- */

static ssize_t stream_reader(void *cls, uint64_t pos, char *out, size_t max)
{
	struct stream *s = cls;
	ssize_t        n = 0;

	(void)pos;
	if (request_held(s->request))
		return 0;
	if (!s->ended && s->direct)
		direct_write(s);
	else if (!s->ended)
		n = library_write(s, out, max);
	if (n > 0)
		return n;
	if (s->ended)
		return end_verdict(s);
	/* A return of 0 without suspending would make a busy loop. */
	s->parked = true;
	s->room = s->direct ? out : NULL;
	s->room_len = max;
	request_hold(s->request);
	return 0;
}

static bool open_response(struct stream *s)
{
	struct request      *r = s->request;
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, r->http10 ? BLOCK_HTTP10 : 1, stream_reader, s, NULL);

	r->response = reply_complete(r, response);
	return r->response != NULL;
}

static void write_now(struct stream *s)
{
	if (s->ended || !s->parked)
		return; /* the reader will look */
	if (!s->direct)
		stream_go_on(s);
	else if (!s->blocked)
		direct_write(s);
}

static void on_woken(struct task *t)
{
	struct stream *s = container_of(t, struct stream, task);

	s->waking = false;
	if (!s->request) { /* completed meanwhile */
		free(s);
		return;
	}
	write_now(s);
}

void stream_wake(struct stream *s)
{
	if (s->waking || s->ended)
		return;
	s->waking = true;
	s->task.fn = on_woken;
	loop_later(s->request->server->loop, &s->task);
}

static void stream_silence(struct timer *t)
{
	struct stream *s = container_of(t, struct stream, timer);
	int64_t        quiet = stream_now_us(s) - s->moved_us;
	int64_t        limit = stream_keep_alive_us(s);

	if (s->parked && s->room)
		give_back_room(s);
	if (s->blocked && quiet >= (int64_t)LIMIT_STALL_SECONDS * 1000000) {
		stream_reader_left(s); /* it takes nothing: dropped, to come back later */
		return;
	}
	if (!s->blocked && quiet >= limit) {
		s->alive_due = true;
		s->moved_us = stream_now_us(s);
		quiet = 0;
		write_now(s);
		if (s->ended)
			return;
	}
	/* The timer looks again at the earliest possible time, so that events need not change
	 * it. */
	timer_start(s->request->server->loop, &s->timer,
		    s->blocked || quiet >= limit ? 1000000 : limit - quiet);
}

struct stream *stream_open(struct request *r, const struct stream_source *source, void *arg)
{
	struct stream     *s = calloc(1, sizeof *s);
	struct reply_line *before = r->headers;

	/* The last header added is the first sent. */
	if (!s || !reply_header(r, "Cache-Control", STR("no-store, no-transform")))
		goto fail;
	reply_common_headers(r);
	if (!reply_header(r, "X-Accel-Buffering", STR("no")) ||
	    !reply_header(r, "Content-Type", str_of(request_family(r)->framing->content_type)))
		goto fail;
	s->request = r;
	s->source = source;
	s->arg = arg;
	s->direct = !r->http10 && !r->server->tls;
	s->moved_us = stream_now_us(s);
	if (!open_response(s))
		goto fail;
	r->stream = s;
	r->status = 200;
	r->left = NULL;
	request_move(r, REQUEST_STREAMING);
	atomic_fetch_add_explicit(&server_counters.streams, 1, memory_order_relaxed);
	s->timer.fn = stream_silence;
	timer_start(r->server->loop, &s->timer,
		    s->direct && SETTLED_US < stream_keep_alive_us(s) ? SETTLED_US
								      : stream_keep_alive_us(s));
	request_resume(r);
	return s;

fail:
	/* the refusal that follows has headers of its own */
	r->headers = before;
	free(s);
	return NULL;
}
