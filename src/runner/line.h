/* runner/line: whose execution begins next.  Keys take turns: the first of those that wait whose key has the fewest
 * at work begins, and the others of its key go behind all that wait.  One key has at most one less at work than
 * there may be, so that others need not wait for its end.
 *
 *   enter --> waiting --next--> begun --leave-->        (leave: from either) */
#pragma once

#include "base/base.h"
#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>

/* All zero but for most: an empty one. */
struct line {
	int64_t          most; /* at work at once */
	struct list_head waiting, begun;
};

/* Embedded in its owner, zero before. */
struct line_place {
	struct list_link link;
	const char      *key; /* borrowed while it is in a line */
};

/* line_enter: false: too many of the key wait; the place is in no line. */
bool line_enter(struct line *l, struct line_place *p, const char *key) MUST_USE;
/* line_next: the place whose execution begins now; NULL: none does. */
struct line_place *line_next(struct line *l);
/* line_leave: it may be in no line. */
void line_leave(struct line_place *p);
/* line_begun: how many are at work. */
int64_t line_begun(const struct line *l);
