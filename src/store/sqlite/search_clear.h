/* search_clear: the chore that removes rows from the search queue after they are in the index. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/sqlite/search/search_queue.h"

#include <stdatomic.h>

struct search_clear {
	struct search_queue *queue;   /* borrowed */
	_Atomic int64_t      settled; /* rows up to this seq may go; set by any thread */
	int64_t              cleared; /* rows up to this seq are gone */
};

extern const struct chore chore_search_clear;
