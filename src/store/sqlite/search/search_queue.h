/* search_queue: the table of work for the search index.  Code that writes or removes messages notes
 * this here, in the same transaction.
 *
 * The functions run inside the writer's transaction, and return SQLite codes. */
#pragma once

#include "store/words/search_text.h"

#include "store/sqlite/kit/conn.h"

/* search_queue.kind; stored. */
enum search_kind {
	SEARCH_RUN = 1, /* only in rows of earlier versions */
	SEARCH_MESSAGE = 2,
	SEARCH_CONVERSATION = 3,
	SEARCH_GONE = 4,
	SEARCH_RUNS = 5, /* the runs that ended in one transaction */
	/* Rows of a conversation's title, noted by triggers; the row's text is the title. */
	SEARCH_TITLE = 6,
	SEARCH_TITLE_GONE = 7,
};

struct search_recent;

struct search_queue {
	struct search_recent *recent; /* borrowed; NULL: the indexer reads what it needs */
	struct conn          *conn;   /* borrowed */
	struct search_text    text;
	struct buf runs; /* runs that have ended in this transaction, in the form of the column */
	int64_t    run_count;
	/* Since the owner last called search_queue_told: */
	int64_t noted; /* additions to the queue; a run counts once */
	bool    gone;  /* a row with the text of a removed message was added */
	/* search_queue_clear has taken out the text of something removed; the owner sets it back. */
	bool cleared;
};

void search_queue_init(struct search_queue *q, struct conn *conn);
void search_queue_finish(struct search_queue *q);
/* search_queue_told: the rows are known to the indexer, or were rolled back. */
void search_queue_told(struct search_queue *q);

/* search_queue_note: a message or a whole conversation was written outside of runs; key is its id's.
 * The call may come before or after the writes. */
int search_queue_note(struct search_queue *q, enum search_kind kind, int64_t key) MUST_USE;
/* search_queue_run: a run has ended.  session_commit writes its row. */
int search_queue_run(struct search_queue *q, int64_t run) MUST_USE;
/* search_queue_put: writes the row of the runs that have ended in this transaction. */
int search_queue_put(struct search_queue *q) MUST_USE;
/* search_queue_gone: to be called before a message is removed or emptied. */
int search_queue_gone(struct search_queue *q, int64_t message) MUST_USE;
/* search_queue_title: a trigger has put a title that was set into the queue, and the old one, if one
 * went (gone). */
void search_queue_title(struct search_queue *q, bool gone);
/* search_queue_clear: removes some of the rows up to seq `upto`, which the index does not need any
 * more.  *ret_again: further rows are left.  This function needs no transaction around it. */
int search_queue_clear(struct search_queue *q, int64_t upto, bool *ret_again) MUST_USE;
