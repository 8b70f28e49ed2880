/* json/cut: copies a JSON text, but for what is cut out of it or replaced on the way.  All spans are of the text
 * that is copied, and come in its order. */
#pragma once

#include "base/buf.h"

/* Laid open so that it can be embedded. */
struct cut {
	struct buf *out;
	const char *at; /* the text before it was copied, or cut out */
	bool        failed;
};

/* cut_bytes: copies what stands before `from`, and replaces the bytes up to `to`. */
void cut_bytes(struct cut *c, const char *from, const char *to, struct str instead);
/* cut_inner: replaces the bytes of a string between its quotes, if they are other ones. */
void                      cut_inner(struct cut *c, struct str inner, struct str by);
static inline const char *cut_end_of(struct str s)
{
	return s.p + s.n;
}

/* A walk over the children of an array or object that leaves some out, with their commas: each child is left or
 * stays, and at last the walk is over.  Zero-initialised but for cut. */
struct cut_walk {
	struct cut *cut;
	const char *kept; /* the end of the last child that stays; NULL: none does yet */
	const char *from; /* the first of the children before this one that go; NULL: none goes */
	const char *to;   /* the end of the last one */
};

void cut_leave(struct cut_walk *w, struct str child);
void cut_stay(struct cut_walk *w, struct str child);
void cut_over(struct cut_walk *w);
