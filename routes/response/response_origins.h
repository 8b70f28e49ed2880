/* routes/response/response_origins: the list of where messages and tools of a chat come from, while
 * it grows. */
#pragma once

#include "base/arena.h"
#include "msg/origin.h"

struct response_origins {
	struct arena  *arena;
	struct origin *list; /* in the arena */
	size_t         count;
	size_t         room;
};

/* response_origins_add: false: no memory. */
bool response_origins_add(struct response_origins *l, struct origin row) MUST_USE;
