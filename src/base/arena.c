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

void arena_init_in(struct arena *a, size_t max, void *memory, size_t bytes)
{
	struct arena_block *b = memory;

	CHECK(bytes >= sizeof *b);
	*b = (struct arena_block){ .cap = bytes - sizeof *b };
	*a = (struct arena){ .blocks = b, .given = b, .max = max };
}

void arena_finish(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		if (a->blocks != a->given)
			free(a->blocks);
		a->blocks = next;
	}
	a->given = NULL;
	a->used = 0;
}

static void *arena_take(struct arena *a, size_t n, size_t align)
{
	struct arena_block *b = a->blocks;

	if (n > a->max || a->used > a->max - n)
		return NULL;

	size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
	if (!b || at > b->cap || b->cap - at < n) {
		size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = malloc(sizeof *b + cap);
		if (!b)
			return NULL;
		b->next = a->blocks;
		b->cap = cap;
		a->blocks = b;
		at = 0;
	}
	b->used = at + n;
	a->used += n;
	return b->bytes + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *at = arena_take(a, n, alignof(max_align_t));

	return at ? memset(at, 0, n) : NULL;
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy = arena_take(a, s.n + 1, 1);

	if (!copy)
		return STR_NONE;
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	return (struct str){ copy, s.n };
}
