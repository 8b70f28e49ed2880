/* runner/mark: takes a driver's marks out of the output.  One pipe carries both, so that text and
 * marks stay in order: 0x1e, the 32 digits of the execution's secret, the mark's text, 0x1e.  What only
 * looks like a mark is text. */
#pragma once

#include "base/buf.h"

enum { MARK_DIGITS = 32 };

/* Both borrow what they get for the call, and may not feed the same marks again. */
struct mark_sink {
	void (*text)(void *arg, struct str text);
	void (*mark)(void *arg, struct str mark); /* without digits and separators */
	void *arg;
};

/* Laid open so that it can be embedded; use the functions. */
struct marks {
	char       digits[MARK_DIGITS + 1]; /* "": there are no marks, all is text */
	struct buf held;                    /* the beginning of what may be a mark */
};

void mark_init(struct marks *m);
void mark_finish(struct marks *m);
/* mark_expect: from here on marks have these digits, or ("") there are none.  What is held is told as text. */
void mark_expect(struct marks *m, const char *digits, const struct mark_sink *sink);
/* mark_feed: false: memory is short, and text may be lost. */
bool mark_feed(struct marks *m, struct str bytes, const struct mark_sink *sink) MUST_USE;
/* mark_parse: a mark's letter and number: "L12", "I3", "E0 /space"; false: it is another text.
 * *ret_rest is what follows the number and a space. */
bool mark_parse(struct str mark, char *ret_letter, int64_t *ret_number,
		struct str *ret_rest) MUST_USE;

/* --- clean: makes whole characters of UTF-8 of a program's output: bytes that are none, and NUL,
 * become U+FFFD; colours and the other escapes of terminals go. */

/* Laid open so that it can be embedded; all zero at the beginning. */
struct clean {
	char   held[4]; /* the beginning of a character */
	size_t held_n;
	int    escape;   /* enum clean_escape of mark.c */
	size_t escape_n; /* bytes of the escape so far */
};

/* clean_feed: appends what is certain by now.  False: out is full; then bytes are lost. */
bool clean_feed(struct clean *c, struct str bytes, struct buf *out) MUST_USE;
/* clean_end: the output ends here: appends what was held back. */
bool clean_end(struct clean *c, struct buf *out) MUST_USE;
