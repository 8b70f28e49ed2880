/* lmc/call_group: a group of calls that wait for their answers, and the messages that must follow
 * these answers (rules L11 to L13).  Private to to_openai.
 *
 * The owner fills a group, adds the answers, prints the group and clears it. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* A part of a buffer whose bytes may still move: an offset and a length. */
struct call_span {
	size_t at;
	size_t n;
};

struct call {
	struct call_span id;       /* in ids, decoded */
	struct call_span function; /* in functions, printed; n is 0 for a call of an own message */
	struct call_span extra;    /* in functions: what the provider gets back with the call */
	struct call_span text;     /* in texts, escaped: the outputs that the call was dealt */
	bool             dealt;    /* the call has an output, though maybe an empty one */
	/* A tool message of OpenAI's has answered the call, or no message can: the call has no id,
	 * or an earlier call has the same one. */
	bool own;
};

/* A message that must follow the answers of the group. */
struct call_after {
	struct call_span bytes; /* in after_bytes */
	bool whole; /* bytes are a message; else the escaped content of a user's message */
};

/* Laid open so that it can be embedded.  Lists are kept as bytes of a buffer. */
struct call_group {
	struct buf calls; /* struct call */
	struct buf ids;
	struct buf functions;
	struct buf texts;
	struct buf after; /* struct call_after */
	struct buf after_bytes;
	struct buf order; /* the calls of an OpenAI message, sorted by id, for call_group_find */
	size_t     next;  /* all calls before this index have an answer */
};

void call_group_init(struct call_group *g);
void call_group_finish(struct call_group *g);
void call_group_clear(struct call_group *g);

/* call_group_add: adds a call with this id (decoded).  The result is borrowed until the next
 * call_group_add.  NULL: no memory. */
struct call *call_group_add(struct call_group *g, struct str id) MUST_USE;
size_t       call_group_count(const struct call_group *g);
struct call *call_group_at(const struct call_group *g, size_t i);
/* call_group_sort: called after the last call was added, and before call_group_find.  Of calls with
 * the same id, only the first one waits for an answer.  False: no memory. */
bool call_group_sort(struct call_group *g) MUST_USE;
/* call_group_find: the first call with this id; NULL: there is none. */
struct call *call_group_find(const struct call_group *g, struct str id);
/* call_group_deal: the call to which the next output belongs (L12): the first one without an
 * answer, else the last call; NULL: a tool message of OpenAI's has answered the last call. */
struct call *call_group_deal(struct call_group *g);
/* call_group_put_after: makes an item of the bytes that were appended to after_bytes since `start`.
 * False: no memory. */
bool call_group_put_after(struct call_group *g, size_t start, bool whole) MUST_USE;

static inline struct str call_group_view(const struct buf *b, struct call_span span)
{
	return span.n > 0 ? (struct str){ b->data + span.at, span.n } : STR_NONE;
}
