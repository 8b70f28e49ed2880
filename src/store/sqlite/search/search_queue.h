/* search_queue: what the search index has to do, noted by whoever writes to the database, in the
 * same transaction.  For any writer code: one call for what it writes or is about to remove.
 *
 * SQLite codes; inside the writer's transaction. */
#pragma once

#include "store/sqlite/search/search_text.h"

#include "store/sqlite/kit/conn.h"

/* search_queue.kind; stored. */
enum search_kind {
	SEARCH_RUN = 1,
	SEARCH_MESSAGE = 2,
	SEARCH_CONVERSATION = 3,
	SEARCH_GONE = 4,
};

struct search_queue {
	struct conn       *conn; /* borrowed */
	struct search_text text;
	bool               noted; /* something since it was last set to false */
};

void search_queue_init(struct search_queue *q, struct conn *conn);
void search_queue_finish(struct search_queue *q);

/* search_queue_note: a run has ended, a message or (all of) a conversation was written outside of
 * runs; key: its id's.  Before the transaction's end, in any order with the writes. */
int search_queue_note(struct search_queue *q, enum search_kind kind, int64_t key) MUST_USE;
/* search_queue_gone: the message is about to be removed, or emptied. */
int search_queue_gone(struct search_queue *q, int64_t message) MUST_USE;
/* search_queue_clear: a statement of its own, or two, some of what the index has taken up, up to
 * `upto`.  *ret_again: there is more. */
int search_queue_clear(struct search_queue *q, int64_t upto, bool *ret_again) MUST_USE;
