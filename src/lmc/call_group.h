/* lmc/call_group: the calls that wait for their answers, and what has to stand behind those (rules
 * L11 to L13).  Private to to_openai.
 *
 * A group is filled, its calls are answered, then its owner prints it and clears it. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

struct call_span {
	size_t at;
	size_t n;
};

struct call {
	struct call_span id;       /* in ids, decoded */
	struct call_span function; /* in functions, printed; n is 0 for a call of an own message */
	struct call_span text;     /* in texts, escaped: the outputs that it was dealt */
	bool             dealt;    /* has had an output, if only an empty one */
	bool             own;      /* an own tool message has answered it, or nothing can */
};

/* What stands behind the last answer. */
struct call_after {
	struct call_span bytes; /* in after_bytes */
	bool             whole; /* a message; else the escaped content of a user's */
};

/* Laid open so that it can be embedded.  Lists are kept as bytes of a buffer. */
struct call_group {
	struct buf calls; /* struct call */
	struct buf ids;
	struct buf functions;
	struct buf texts;
	struct buf after; /* struct call_after */
	struct buf after_bytes;
	struct buf order; /* of the calls of an own message, by id; to find them */
	size_t     next;  /* the calls in front of it all have an answer */
};

void call_group_init(struct call_group *g);
void call_group_finish(struct call_group *g);
void call_group_clear(struct call_group *g);

/* call_group_add: a new call with this id (decoded); NULL: no memory.  Borrowed until the next. */
struct call *call_group_add(struct call_group *g, struct str id) MUST_USE;
size_t       call_group_count(const struct call_group *g);
struct call *call_group_at(const struct call_group *g, size_t i);
/* call_group_sort: no more calls come; makes call_group_find work.  A second call with an id that
 * another has is left to whoever answers the first. */
bool call_group_sort(struct call_group *g) MUST_USE;
/* call_group_find: the call with this id, or NULL. */
struct call *call_group_find(const struct call_group *g, struct str id);
/* call_group_deal: the call that the next output belongs to (L12); NULL: all have answers, the last
 * one by an own tool message. */
struct call *call_group_deal(struct call_group *g);
/* call_group_put_after: what was appended to after_bytes since start is one item more. */
bool call_group_put_after(struct call_group *g, size_t start, bool whole) MUST_USE;

static inline struct str call_group_view(const struct buf *b, struct call_span span)
{
	return span.n > 0 ? (struct str){ b->data + span.at, span.n } : STR_NONE;
}
