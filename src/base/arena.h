/* base/arena: the memory of one request, freed as a whole. Not shared between threads. Nothing
 * that outlives the request may point into it. */
#pragma once

#include "base/base.h"
#include "base/str.h"

struct arena_block;

/* Laid open so that it can be embedded; use the functions. */
struct arena {
	struct arena_block *blocks; /* owned but for `given`; newest first */
	struct arena_block *given;  /* the owner's memory; NULL: none */
	size_t              used;   /* bytes handed out */
	size_t              max;    /* `used` never exceeds this */
};

/* arena_init: an empty arena that never hands out more than max bytes in all. */
void arena_init(struct arena *a, size_t max);
/* arena_init_in: the same, and the first pieces are in the given memory, which is aligned for any type
 * and stays the caller's until arena_finish. */
void arena_init_in(struct arena *a, size_t max, void *memory, size_t bytes);
void arena_finish(struct arena *a);

/* arena_alloc: n zeroed bytes, aligned for any type, borrowed until arena_finish; NULL when max is
 * reached or memory is short. */
void *arena_alloc(struct arena *a, size_t n) MUST_USE;
/* arena_str: a copy of s, followed by a NUL that n does not count.  p is NULL on failure. */
struct str arena_str(struct arena *a, struct str s) MUST_USE;
