/* labels: the pairs of metadata, by which lists are filtered; a JSON object's members that are strings.  A
 * pair with U+0000, which text can't hold, is left out: no list finds it. */
#pragma once

#include "base/arena.h"
#include "store/sql/param.h"

struct label {
	int64_t    of;
	struct str key;
	struct str value;
};

/* Laid open so that it can be embedded; all zero is empty. */
struct labels {
	struct arena  arena;
	bool          begun; /* the arena */
	struct label *all;   /* owned */
	size_t        count;
	size_t        cap;
};

/* labels_add: adds the pairs of an object that is `of`'s; empty: none.  False: no memory. */
bool labels_add(struct labels *l, int64_t of, struct str metadata) MUST_USE;
void labels_finish(struct labels *l);
/* labels_args: three arrays: of, keys, values.  labels_pairs: the last two. */
void labels_args(const struct labels *l, struct param *a);
void labels_pairs(const struct labels *l, struct param *a);
