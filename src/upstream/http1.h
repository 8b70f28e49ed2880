/* upstream/http1: reads the answer to one HTTP/1.1 request: the head, and the framing of the body.
 * Does no I/O, and knows no other header than those that a call needs.
 *
 *   STATUS --> HEADER --> COUNTED ------------------------------------> OVER
 *     ^          |  |---> SIZE --> CHUNK --> CHUNK_END --+               ^
 *     +-- 1xx ---+  |      ^ |                           |               |
 *                   |      | +--> TRAILER ---------------|---------------+
 *                   |      +-----------------------------+               |
 *                   +---> UNTIL_CLOSE --------(the connection ends)------+
 *
 * Source: RFC 9112.  Like its section 2.2 allows, a line may end with LF alone.  Stricter than it must
 * be: unequal lengths, a length that is no number, codings other than chunked, a folded line of a
 * header that is read, and a header name with a space are errors, because the end of the body would
 * be a guess. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum http1_state {
	HTTP1_STATUS,
	HTTP1_HEADER,
	HTTP1_COUNTED,
	HTTP1_SIZE,
	HTTP1_CHUNK,
	HTTP1_CHUNK_END,
	HTTP1_TRAILER,
	HTTP1_UNTIL_CLOSE,
	HTTP1_OVER,
	HTTP1_STATE__COUNT
};

/* Laid open so that it can be embedded; use the functions.  The head's values are valid as soon as
 * http1_head_read says so. */
struct http1 {
	enum http1_state state;
	int              status;
	uint64_t         left;       /* of the counted body, or of the chunk */
	uint64_t         length;     /* of the body, where it was announced */
	size_t           head_bytes; /* of heads and trailers so far */
	struct buf       line;       /* an unfinished line, carried over */
	const char      *wrong;   /* what can't be read: "a chunk without a size"; NULL: nothing */
	bool             starved; /* it is wrong because memory is short */
	bool             keeps;   /* the connection may carry another request */
	bool             counted; /* a Content-Length was given */
	bool             chunked;
	bool             compressed;         /* by a Content-Encoding */
	bool             surplus;            /* bytes came behind the end */
	bool             folding;            /* the last header line was one that is read */
	char             content_type[96];   /* lower case; "": none */
	char             retry_after[40];    /* "": none */
	char             retry_after_ms[24]; /* "": none */
};

void http1_init(struct http1 *h);
void http1_finish(struct http1 *h);

/* http1_feed: takes n bytes as they came.  *ret_body is what they hold of the body, moved together
 * within `bytes`; it is set also where false is returned: the answer can't be read, h->wrong says
 * why.  Every byte is taken; what follows the end is dropped and noted. */
bool http1_feed(struct http1 *h, char *bytes, size_t n, struct str *ret_body) MUST_USE;
/* http1_end: the connection ended.  False: in the middle of the answer. */
bool http1_end(struct http1 *h) MUST_USE;

static inline bool http1_over(const struct http1 *h)
{
	return h->state == HTTP1_OVER;
}

static inline bool http1_head_read(const struct http1 *h)
{
	return h->state != HTTP1_STATUS && h->state != HTTP1_HEADER;
}

/* http1_begun: whether any byte of an answer has come. */
static inline bool http1_begun(const struct http1 *h)
{
	return h->head_bytes > 0 || h->line.len > 0;
}
