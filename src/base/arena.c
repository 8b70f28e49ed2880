/* Blocks of a request's scratch memory, freed in one go. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>

struct arena_block {
	struct arena_block *next;
	size_t              used;
	size_t              cap;
	alignas(max_align_t) char bytes[];
};

enum {
	BLOCK_BYTES = 1024 - sizeof(struct arena_block)
}; /* whole, it has a size that allocators have */

void arena_init(struct arena *a, size_t max)
{
	*a = (struct arena){ .max = max };
}

void arena_finish(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t n)
{
	const size_t align = alignof(max_align_t);

	if (n > a->max || a->used > a->max - n)
		return NULL;
	n = (n + align - 1) & ~(align - 1);

	struct arena_block *b = a->blocks;
	if (!b || b->cap - b->used < n) {
		size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = malloc(sizeof *b + cap);
		if (!b)
			return NULL;
		b->next = a->blocks;
		b->used = 0;
		b->cap = cap;
		a->blocks = b;
	}

	void *at = b->bytes + b->used;
	b->used += n;
	a->used += n;
	memset(at, 0, n);
	return at;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy = arena_alloc(a, s.n + 1);

	if (!copy)
		return STR_NONE;
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	return (struct str){ copy, s.n };
}
