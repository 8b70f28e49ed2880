/* shape/block: the blocks of a stream of server-sent events, with their numbers, and without those
 * that the reader has seen already.  Numbers are a family's business (msg/family.h): this is how
 * LLM Chat's streams have them, `id: <n>` and, for the further blocks of one event, `id: <n>.<k>`.
 */
#pragma once

#include "base/buf.h"
#include "msg/cursor.h"

/* Embedded in an encoder. */
struct blocks {
	bool numbered; /* false: blocks have neither ids nor names, as OpenAI's clients expect */
	struct cursor seen;  /* blocks up to this one, inclusive, are left out */
	struct cursor next;  /* the number of the next block */
	size_t        start; /* of the open block, in out */
};

/* block_event: the next blocks belong to event seq; one event may be announced several times. */
static inline void block_event(struct blocks *b, uint64_t seq)
{
	if (seq != b->next.seq)
		b->next = (struct cursor){ .seq = seq };
}

/* block_open: what stands in front of a block's JSON; name: of the block, or NULL.  block_close:
 * what stands behind, or, of a block that was seen, removes the block again. False: out is full,
 * and holds half a block. */
bool block_open(struct blocks *b, const char *name, struct buf *out) MUST_USE;
bool block_close(struct blocks *b, struct buf *out) MUST_USE;
