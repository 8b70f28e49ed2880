/* search_batch: the changes of the index in one transaction, and how far the index is then. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"

#include <stdint.h>
#include <stdlib.h>

struct search_op {
	int64_t id;   /* search_index_doc */
	bool    gone; /* the message is removed from the index; false: added */
	int64_t owner;
	int64_t conversation;
	int     role;
	size_t  text_at; /* in texts */
	size_t  text_n;
};

/* How far an index is. */
struct search_mark {
	int64_t seq;      /* all rows of the queue up to this one are done */
	int64_t built;    /* the messages that are older than the index are in it up to this id */
	int64_t titles;   /* the same of titles, by the keys of their conversations */
	bool    complete; /* all messages and titles that are older than the index are in it */
};

struct search_batch {
	struct search_op  *ops; /* owned; LIMIT_SEARCH_BATCH */
	size_t             count;
	struct buf         texts;
	size_t             read_bytes; /* bodies read for this batch */
	size_t             read_max;
	bool               full;   /* more work waits, for the next batch */
	bool               queued; /* some of it in the queue */
	bool               gone;   /* has a removal; later additions wait for the next batch */
	struct search_mark mark;   /* the index's mark, once it has this batch */
};

/* search_batch_init: false: no memory for it.  Not calloc, because a batch rarely touches all places. */
static inline bool search_batch_init(struct search_batch *b)
{
	*b = (struct search_batch){ .ops = malloc(LIMIT_SEARCH_BATCH * sizeof *b->ops) };
	buf_init(&b->texts, LIMIT_SEARCH_BATCH_TEXT);
	return b->ops;
}

static inline void search_batch_finish(struct search_batch *b)
{
	free(TAKE(b->ops));
	buf_finish(&b->texts);
}
