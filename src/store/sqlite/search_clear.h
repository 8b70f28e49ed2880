/* search_clear: what the search index has taken up leaves its queue. */
#pragma once

#include "store/sqlite/chore.h"
#include "store/sqlite/search/search_queue.h"

#include <stdatomic.h>

struct search_clear {
	struct search_queue *queue;   /* borrowed */
	_Atomic int64_t      settled; /* needed no longer, up to here; any thread sets it */
	int64_t              cleared;
};

extern const struct chore chore_search_clear;
