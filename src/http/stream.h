/* http/stream: an answer in pieces (server-sent events).  Suspending a connection, framing, writing
 * to the descriptor, back pressure, comments in silence and dead readers are this module's business.
 *
 * On plain HTTP/1.1 it writes chunks to the descriptor itself while libmicrohttpd has the
 * connection suspended in the response's content reader (half the CPU of the library's own way on a
 * prototype with thousands of streams); head and last chunk are the library's, which keeps the
 * connection for the next request.  All bytes go the library's way for HTTP/1.0 and under TLS.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct request;
struct stream;

/* Where the bytes come from.  All are called on the loop's thread. */
struct stream_source {
	/* ready: bytes waiting, borrowed until `taken`; *ret_last: nothing comes after them. */
	struct str (*ready)(void *arg, bool *ret_last);
	/* taken: the first n of them are in the kernel's hands. */
	void (*taken)(void *arg, size_t n);
	/* over: the stream is gone; whole is true when all of it was handed over, false when the
	 * reader left or stalled.  Not called from within stream_open or stream_wake. */
	void (*over)(void *arg, bool whole);
	/* broken: asked when all was handed over: the body must not look whole.  Then it has no last
	 * chunk, and the connection is closed.  NULL: it never is. */
	bool (*broken)(void *arg);
};

/* stream_open: status 200, SSE headers, the headers of reply_header; then what source has.
 * The stream is borrowed until `over`. */
struct stream *stream_open(struct request *r, const struct stream_source *source, void *arg);
/* stream_wake: there is more (or the end).  Cheap: bytes go out once at the end of the loop's turn,
 * so that what one read from a provider brought becomes one write. */
void stream_wake(struct stream *s);
