/* search_queue: the table of work for the search index.  Code that writes or removes messages notes
 * this here, in the same transaction.
 *
 * The functions run inside the writer's transaction, and return SQLite codes. */
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
	bool               noted; /* a row was added since the owner last set this to false */
};

void search_queue_init(struct search_queue *q, struct conn *conn);
void search_queue_finish(struct search_queue *q);

/* search_queue_note: a run has ended, or a message or a whole conversation was written outside of
 * runs; key is its id's.  The call may come before or after the writes. */
int search_queue_note(struct search_queue *q, enum search_kind kind, int64_t key) MUST_USE;
/* search_queue_gone: to be called before a message is removed or emptied. */
int search_queue_gone(struct search_queue *q, int64_t message) MUST_USE;
/* search_queue_clear: removes some of the rows up to seq `upto`, which the index does not need any
 * more.  *ret_again: further rows are left.  This function needs no transaction around it. */
int search_queue_clear(struct search_queue *q, int64_t upto, bool *ret_again) MUST_USE;
