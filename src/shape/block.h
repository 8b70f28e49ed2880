/* shape/block: prints the blocks of a stream of server-sent events (WHATWG HTML, section 9.2) with
 * their numbers, and leaves out the blocks that the reader has received already.  The form of the
 * numbers is LLM Chat's: `id: <n>` for the first block of event n, `id: <n>.<k>` for its further
 * blocks. */
#pragma once

#include "base/buf.h"
#include "msg/cursor.h"

/* Embedded in an encoder. */
struct blocks {
	bool numbered; /* false: blocks have neither ids nor names, as OpenAI's clients expect */
	struct cursor seen;  /* blocks up to this one, inclusive, are left out */
	struct cursor next;  /* the number of the next block */
	size_t        start; /* offset of the open block in out */
};

/* block_event: the next blocks belong to the event seq; may be called again for the same event. */
static inline void block_event(struct blocks *b, uint64_t seq)
{
	if (seq != b->next.seq)
		b->next = (struct cursor){ .seq = seq };
}

/* block_open: appends the lines before a block's JSON; name: of the block's event field, or NULL.
 * block_close: ends the block; a block that the reader has received is removed from out. False: out
 * is full, and ends with half a block. */
bool block_open(struct blocks *b, const char *name, struct buf *out) MUST_USE;
bool block_close(struct blocks *b, struct buf *out) MUST_USE;
