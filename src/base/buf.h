/* buf: a growing byte buffer, which gets its maximum when it is created.  Not shared between
 * threads. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Laid open so that it can be embedded; use the functions. */
struct buf {
	char  *data; /* owned; NULL while empty */
	size_t len;
	size_t cap;
	size_t max; /* never grows past this */
};

/* buf_init: an empty buffer that never grows past max bytes; allocates nothing yet. */
void buf_init(struct buf *b, size_t max);
/* buf_finish: frees the bytes; b is empty and may be used again. */
void buf_finish(struct buf *b);
/* buf_clear: forgets the content, keeps the memory. */
void buf_clear(struct buf *b);

/* All functions that add bytes return false if max is reached (errno is EMSGSIZE) or memory is
 * short (ENOMEM); then b is unchanged.  The given bytes are borrowed for the call. */
bool                        buf_add(struct buf *b, const void *data, size_t len) MUST_USE;
MUST_USE static inline bool buf_str(struct buf *b, struct str s)
{
	return buf_add(b, s.p, s.n);
}
/* Inline, so that the compiler measures a literal. */
MUST_USE static inline bool buf_text(struct buf *b, const char *text)
{
	return buf_add(b, text, strlen(text));
}
bool buf_int(struct buf *b, int64_t v) MUST_USE;
/* buf_thousandths: v thousandths, with three digits after a point. */
bool buf_thousandths(struct buf *b, int64_t v) MUST_USE;
/* buf_fmt: not for the way of a call or an event; printf is slow. */
bool buf_fmt(struct buf *b, const char *fmt, ...) PRINTF(2, 3) MUST_USE;
/* buf_json_string: s in quotes, escaped as RFC 8259 needs (s is UTF-8, may hold NUL). */
bool buf_json_string(struct buf *b, struct str s) MUST_USE;
/* buf_json_escape: the same without the quotes. */
bool buf_json_escape(struct buf *b, struct str s) MUST_USE;
/* buf_reserve: makes room for n more bytes. */
bool buf_reserve(struct buf *b, size_t n) MUST_USE;

/* buf_starved: whether memory was short when the last function that adds bytes returned false.
 * Only buf_finish may be called in between. */
bool buf_starved(void);

/* buf_take_front: removes the first n bytes. */
void buf_take_front(struct buf *b, size_t n);

/* buf_view: the bytes, borrowed until the buffer changes. */
static inline struct str buf_view(const struct buf *b)
{
	return (struct str){ b->data, b->len };
}
