/* search_batch: what is put into the index in one transaction, and how far the index is then. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"

#include <stdint.h>

struct search_op {
	int64_t id;   /* of the message */
	bool    gone; /* else: to be put in */
	int64_t owner;
	int64_t conversation;
	int     role;
	size_t  text_at; /* in texts */
	size_t  text_n;
};

/* How far an index is. */
struct search_mark {
	int64_t seq;      /* of the queue: up to here all was done */
	int64_t built;    /* messages that were there when it was begun are in it up to this id */
	bool    complete; /* and that was the last one */
};

struct search_batch {
	struct search_op   ops[LIMIT_SEARCH_BATCH];
	size_t             count;
	struct buf         texts;
	size_t             read_bytes; /* of bodies, for it */
	bool               full;       /* there is more to do than fits */
	bool               gone; /* something is removed: what is put in comes with the next one */
	struct search_mark mark; /* once it is in */
};
