/* http/stream: sends an answer in pieces, in the framing of the route's family: suspending the
 * connection, writing to the descriptor, back pressure, signs of life during silence, and readers
 * that have gone.
 *
 * On plain HTTP/1.1, this module writes chunks to the descriptor itself while libmicrohttpd has
 * the connection suspended in the content reader of the response (half the CPU of the library's
 * own way, measured on a prototype with thousands of streams). The library writes the head and
 * the last chunk, and so keeps the connection for the next request. On HTTP/1.0 and under TLS,
 * the library writes all bytes.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct request;
struct stream;

/* The source of a stream's bytes. All functions are called on the loop's thread. */
struct stream_source {
	/* ready: bytes waiting, borrowed until `taken`; *ret_last: nothing comes after them. */
	struct str (*ready)(void *arg, bool *ret_last);
	/* taken: the kernel has taken the first n bytes. */
	void (*taken)(void *arg, size_t n);
	/* over: the stream is gone; whole: all bytes were handed over; false: the reader left or
	 * stalled. Not called from within stream_open or stream_wake. */
	void (*over)(void *arg, bool whole);
	/* broken: asked when all bytes were handed over; true: the body must not look complete.
	 * Then it gets no last chunk, and the connection is closed. NULL: never. */
	bool (*broken)(void *arg);
};

/* stream_open: starts a stream: status 200, the framing's content type, the headers of
 * reply_header, and then the bytes of the source. The stream is borrowed until `over`. */
struct stream *stream_open(struct request *r, const struct stream_source *source, void *arg);
/* stream_wake: says that the source has more bytes, or has ended. Cheap: bytes are written once,
 * at the end of the loop's turn, so that one read from a provider becomes one write. */
void stream_wake(struct stream *s);
