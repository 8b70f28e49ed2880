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
