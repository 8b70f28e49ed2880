/* search_feed: reads from the database, or takes from search_recent, what the index lacks.  Used by the indexer's thread alone.
 *
 * A batch is read in one transaction, which spares each row the locks and the look at the log, but
 * is bounded (LIMIT_SEARCH_BATCH_READ), because a long read keeps the write-ahead log from starting
 * over. */
#pragma once

#include "store/sqlite/search/search_index.h"
#include "store/sqlite/search/search_queue.h"
#include "store/sqlite/search/search_recent.h"

struct search_feed {
	struct conn           conn; /* owned */
	struct search_text    text;
	struct search_recent *recent; /* borrowed; NULL: all is read from the database */
	struct search_index  *index;  /* borrowed; of the batch that is being filled */
	int64_t               row;    /* seq of the row that is being done; 0: none */
	/* seq of the row for which the last batch had no room: the messages of this row that the
	 * index has are left out, as it would never end otherwise. */
	int64_t cut;
	/* A whole conversation may take many batches.  How far the one at row `at` is: */
	int64_t at;    /* seq of the row in the queue */
	int64_t run;   /* the runs up to this one are done; INT64_MAX: all runs */
	int64_t loose; /* the messages without a run are done up to this one */
};

enum errc search_feed_open(struct search_feed *f, const char *path, int64_t busy_ms,
			   struct err *e) MUST_USE;
void      search_feed_close(struct search_feed *f);

/* Both return an SQLite code.  search_feed_source: what the database says of the index. */
int search_feed_source(struct search_feed *f, struct search_source *ret) MUST_USE;
/* search_feed_fill: fills b with the next batch for the index x.  *ret_waiting: turns
 * and other work of the queue after this batch.  rebuild false: only work from the queue, no messages older than the index. */
int search_feed_fill(struct search_feed *f, struct search_index *x, bool rebuild,
		     struct search_batch *b, int64_t *ret_waiting) MUST_USE;
/* search_feed_waiting: turns and other work of the queue after row seq. */
int search_feed_waiting(struct search_feed *f, int64_t seq, int64_t *ret) MUST_USE;
/* search_feed_again: the last batch could not be applied. */
void search_feed_again(struct search_feed *f);
