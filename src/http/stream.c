/* Server-sent events towards a client: framing, writing, silence, back pressure, dead readers. */
#include "http/stream.h"

#include "base/limits.h"
#include "http/internal.h"
#include "http/reply.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum {
	CHUNK_MAX = 256 * KIB, /* one chunk; keeps its size line short */
	SIZE_LINE = 16,
};

static const char comment[] = ": keep-alive\n\n";

/* Two ways out, one interface.  Direct: we write chunks to the descriptor while libmicrohttpd has
 * the connection suspended.  Through the library's content reader for HTTP/1.0, where the end of
 * the connection is the end of the body, and under TLS, where only the library can write. */
struct stream {
	struct request             *request;
	const struct stream_source *source;
	void                       *arg;
	bool                        direct;
	bool                        waking;   /* task is in the loop's list */
	bool                        blocked;  /* the socket is full */
	bool                        ended;    /* over was called */
	bool                        comment_due;
	bool                        parked;   /* reader way: suspended for want of bytes */
	struct task                 task;
	struct timer                timer;    /* silence, and a reader that takes nothing */
	int64_t                     moved_us; /* last time that bytes went out */

	/* Direct way: a chunk under way.  Head and size line come first, then `left` bytes of what the
	 * source has ready (or of a comment), then the trailer. */
	char  *head; /* owned; the response's head until it is sent */
	size_t head_len;
	size_t head_at;
	char   line[SIZE_LINE + 2];
	size_t line_len;
	size_t line_at;
	size_t left;
	size_t trailer_left; /* of CRLF, or of CRLF and the last chunk */
	bool   in_comment;
	bool   last; /* the chunk under way ends the body */
};

static const char trailer[] = "\r\n0\r\n\r\n";
enum { TRAILER_PLAIN = 2, TRAILER_LAST = sizeof trailer - 1 };

static int64_t now_us(const struct stream *s)
{
	return loop_now_us(s->request->server->loop);
}

static int64_t keep_alive_us(const struct stream *s)
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
	timer_stop(s->request->server->loop, &s->timer);
	s->source->over(s->arg, whole);
}

/* Direct way: libmicrohttpd closes the connection when its handler is asked again. */
static void direct_close(struct stream *s, bool whole)
{
	tell_over(s, whole);
	if (s->request->phase == REQUEST_STREAMING)
		request_move(s->request, REQUEST_CLOSING);
	request_resume(s->request);
}

void stream_completed(struct stream *s)
{
	tell_over(s, false);
	atomic_fetch_sub_explicit(&server_counters.streams, 1, memory_order_relaxed);
	s->request->stream = NULL;
	/* The wake-up's task lies in a list of the loop's: it frees the stream then. */
	s->request = NULL;
	if (!s->waking) {
		free(s->head);
		free(s);
	}
}

void stream_reader_left(struct stream *s)
{
	if (s->direct) {
		direct_close(s, false);
		return;
	}
	tell_over(s, false);
	s->parked = false;
	request_resume(s->request); /* the content reader ends it */
}

/* --- the direct way --- */

/* Starts the next chunk if there is something to say; false: nothing. */
static bool next_chunk(struct stream *s)
{
	bool       last = false;
	struct str ready = s->source->ready(s->arg, &last);

	s->in_comment = ready.n == 0 && !last && s->comment_due;
	if (s->in_comment)
		ready = (struct str){ comment, sizeof comment - 1 };
	if (ready.n == 0 && !last)
		return false;
	s->comment_due = false;
	s->left = ready.n < CHUNK_MAX ? ready.n : CHUNK_MAX;
	s->last = last && s->left == ready.n;
	s->line_at = 0;
	if (s->left == 0) { /* an end without bytes: only the last chunk is left to write */
		s->line_len = 0;
		s->trailer_left = TRAILER_LAST - TRAILER_PLAIN;
		return true;
	}
	s->line_len = (size_t)snprintf(s->line, sizeof s->line, "%zx\r\n", s->left);
	s->trailer_left = s->last ? TRAILER_LAST : TRAILER_PLAIN;
	return true;
}

static size_t gather(struct stream *s, struct iovec iov[4])
{
	size_t n = 0;
	bool   last;

	if (s->head_at < s->head_len)
		iov[n++] = (struct iovec){ s->head + s->head_at, s->head_len - s->head_at };
	if (s->line_at < s->line_len)
		iov[n++] = (struct iovec){ s->line + s->line_at, s->line_len - s->line_at };
	if (s->left > 0) {
		struct str ready = s->in_comment ? (struct str){ comment + sizeof comment - 1 - s->left,
								 s->left }
						 : s->source->ready(s->arg, &last);
		iov[n++] = (struct iovec){ (void *)(uintptr_t)ready.p, s->left };
	}
	if (s->trailer_left > 0) {
		/* TRAILER_PLAIN stands at the front, so the last chunk's end is the array's end. */
		const char *end = trailer + (s->last ? TRAILER_LAST : TRAILER_PLAIN);
		iov[n++] = (struct iovec){ (void *)(uintptr_t)(end - s->trailer_left), s->trailer_left };
	}
	return n;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Books n sent bytes against head, size line, content and trailer, in that order. */
static void advance(struct stream *s, size_t n)
{
	size_t part = min_size(n, s->head_len - s->head_at);

	s->head_at += part;
	n -= part;
	if (s->head && s->head_at == s->head_len) {
		free(s->head);
		s->head = NULL;
		s->head_at = s->head_len = 0;
	}
	part = min_size(n, s->line_len - s->line_at);
	s->line_at += part;
	n -= part;
	part = min_size(n, s->left);
	s->left -= part;
	n -= part;
	s->request->bytes_out += part;
	if (part > 0 && !s->in_comment)
		s->source->taken(s->arg, part);
	s->trailer_left -= n;
}

static bool chunk_under_way(const struct stream *s)
{
	return s->head_at < s->head_len || s->line_at < s->line_len || s->left > 0 ||
	       s->trailer_left > 0;
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
		direct_close(s, false);
}

static void direct_write(struct stream *s)
{
	int fd = s->request->connection->watch.fd;

	for (;;) {
		struct iovec  iov[4];
		struct msghdr msg = { .msg_iov = iov };

		if (!chunk_under_way(s)) {
			if (s->last) {
				direct_close(s, true);
				return;
			}
			if (!next_chunk(s)) {
				watch_room(s, false);
				return;
			}
		} else if (s->line_len == 0 && s->left == 0 && s->trailer_left == 0) {
			next_chunk(s); /* the head goes out together with the first bytes */
		}
		msg.msg_iovlen = gather(s, iov);

		ssize_t n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			watch_room(s, true);
			return;
		}
		if (n < 0) {
			direct_close(s, false);
			return;
		}
		s->moved_us = now_us(s);
		advance(s, (size_t)n);
	}
}

void stream_writable(struct stream *s)
{
	if (s->direct && !s->ended)
		direct_write(s);
}

static bool put_head(struct stream *s, struct buf *out)
{
	char      date[40];
	time_t    now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (!buf_fmt(out, "HTTP/1.1 200 OK\r\nDate: %s\r\nConnection: close\r\n"
			  "Transfer-Encoding: chunked\r\n", date))
		return false;
	for (struct reply_line *line = s->request->headers; line; line = line->next)
		if (!buf_fmt(out, "%s: %s\r\n", line->name, line->value))
			return false;
	return buf_text(out, "\r\n");
}

static bool direct_open(struct stream *s)
{
	struct buf head;
	int        one = 1;

	buf_init(&head, LIMIT_HEADER_BYTES);
	if (!put_head(s, &head)) {
		buf_finish(&head);
		return false;
	}
	s->head_len = head.len;
	s->head = TAKE(head.data);
	setsockopt(s->request->connection->watch.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return true;
}

/* --- the library's way --- */

static ssize_t reader(void *cls, uint64_t pos, char *out, size_t max)
{
	struct stream *s = cls;
	bool           last = false;

	(void)pos;
	if (s->ended)
		return MHD_CONTENT_READER_END_WITH_ERROR;

	struct str ready = s->source->ready(s->arg, &last);
	if (ready.n == 0 && last) {
		tell_over(s, true);
		return MHD_CONTENT_READER_END_OF_STREAM;
	}
	if (ready.n == 0 && !s->comment_due) {
		/* Returning 0 without suspending would be a busy loop. */
		s->parked = true;
		request_suspend(s->request);
		return 0;
	}

	bool is_comment = ready.n == 0;
	if (is_comment)
		ready = (struct str){ comment, sizeof comment - 1 };
	size_t n = min_size(ready.n, max);
	memcpy(out, ready.p, n);
	s->comment_due = false;
	s->moved_us = now_us(s);
	s->request->bytes_out += n;
	if (!is_comment)
		s->source->taken(s->arg, n);
	return (ssize_t)n;
}

static bool reader_open(struct stream *s)
{
	struct request      *r = s->request;
	struct MHD_Response *response =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, reader, s, NULL);

	if (!response)
		return false;
	for (struct reply_line *line = r->headers; line; line = line->next)
		MHD_add_response_header(response, line->name, line->value);
	r->response = response;
	return true;
}

/* --- both --- */

static void write_now(struct stream *s)
{
	if (s->ended)
		return;
	if (s->direct) {
		/* Only once the handler has returned is the connection ours alone. */
		if (!s->request->suspended)
			stream_wake(s);
		else if (!s->blocked)
			direct_write(s);
	} else if (s->parked) {
		s->parked = false;
		request_resume(s->request);
	}
}

static void woken(struct task *t)
{
	struct stream *s = container_of(t, struct stream, task);

	s->waking = false;
	if (!s->request) { /* completed meanwhile */
		free(s->head);
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
	s->task.fn = woken;
	loop_later(s->request->server->loop, &s->task);
}

static void silence(struct timer *t)
{
	struct stream *s = container_of(t, struct stream, timer);
	int64_t        quiet = now_us(s) - s->moved_us;
	int64_t        limit = keep_alive_us(s);

	if (s->blocked && quiet >= (int64_t)LIMIT_STALL_SECONDS * 1000000) {
		stream_reader_left(s); /* it takes nothing: dropped, to come back later */
		return;
	}
	if (!s->blocked && quiet >= limit) {
		s->comment_due = true;
		s->moved_us = now_us(s);
		quiet = 0;
		write_now(s);
		if (s->ended)
			return;
	}
	/* Looks again when it could be due: no timer is touched for each event. */
	timer_start(s->request->server->loop, &s->timer,
		    s->blocked || quiet >= limit ? 1000000 : limit - quiet);
}

struct stream *stream_open(struct request *r, const struct stream_source *source, void *arg)
{
	struct stream *s = calloc(1, sizeof *s);

	/* The last header added is the first sent. */
	reply_common_headers(r);
	reply_header(r, "X-Accel-Buffering", STR("no"));
	reply_header(r, "Cache-Control", STR("no-cache, no-transform"));
	reply_header(r, "Content-Type", STR("text/event-stream; charset=utf-8"));
	if (!s)
		goto fail;
	s->request = r;
	s->source = source;
	s->arg = arg;
	s->direct = !r->http10 && !r->server->tls;
	s->moved_us = now_us(s);
	if (!(s->direct ? direct_open(s) : reader_open(s)))
		goto fail;
	r->stream = s;
	r->status = 200;
	r->left = NULL;
	request_move(r, REQUEST_STREAMING);
	atomic_fetch_add_explicit(&server_counters.streams, 1, memory_order_relaxed);
	s->timer.fn = silence;
	timer_start(r->server->loop, &s->timer, keep_alive_us(s));
	if (s->direct)
		stream_wake(s);
	else
		request_resume(r);
	return s;

fail:
	free(s);
	return NULL;
}
