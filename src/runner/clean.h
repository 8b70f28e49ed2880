/* runner/clean: makes whole characters of UTF-8 of a program's output: bytes that are none, and NUL,
 * become U+FFFD; colours and the other escapes of terminals go. */
#pragma once

#include "base/buf.h"

/* Laid open so that it can be embedded; all zero at the beginning. */
struct clean {
	char   held[4]; /* the beginning of a character */
	size_t held_n;
	int    escape;   /* enum clean_escape of clean.c */
	size_t escape_n; /* bytes of the escape so far */
};

/* clean_feed: appends what is certain by now.  False: out is full; then bytes are lost. */
bool clean_feed(struct clean *c, struct str bytes, struct buf *out) MUST_USE;
/* clean_end: the output ends here: appends what was held back. */
bool clean_end(struct clean *c, struct buf *out) MUST_USE;
