/* scale_ops: the operations that are measured, one row each. */
#pragma once

#include "scale_db.h"

/* An operation picks what it is about, runs, and leaves in db what it took. */
struct op {
	const char *name;
	double      limit; /* how many times its small cost it may take on the big one; 0: any */
	unsigned    every; /* one of so many samples is taken: it is long, or uses something up */
	bool        write;
	void (*run)(struct db *db);
};

extern const struct op ops[];
extern const size_t    ops_count;
