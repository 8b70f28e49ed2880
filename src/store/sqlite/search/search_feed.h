/* search_feed: what the index lacks, read from the database.
 *
 * Row by row, each read a transaction of its own and over when the row was copied: a reader that
 * stays keeps the write-ahead log from starting over.  So rows may be of different moments, which
 * does no harm: what was removed in between is removed from the index by a later row of the
 * queue. */
#pragma once

#include "store/sqlite/search/search_index.h"
#include "store/sqlite/search/search_queue.h"

struct search_feed {
	struct conn        conn; /* owned */
	struct search_text text;
	struct buf         body; /* of the message that is read */
	/* A whole conversation may take many batches: how far the one at seq `at` is. */
	int64_t at;
	int64_t run;   /* done up to this run; INT64_MAX: all of them */
	int64_t loose; /* and, then, up to this message that no run brought */
};

enum errc search_feed_open(struct search_feed *f, const char *path, int64_t busy_ms,
			   struct err *e) MUST_USE;
void      search_feed_close(struct search_feed *f);

/* All SQLite codes. */
int search_feed_source(struct search_feed *f, struct search_source *ret) MUST_USE;
/* search_feed_fill: the next batch for x, as it stands; b's buffer is kept.  *ret_waiting: rows of
 * the queue behind it.  rebuild false: only what the queue says. */
int search_feed_fill(struct search_feed *f, struct search_index *x, bool rebuild,
		     struct search_batch *b, int64_t *ret_waiting) MUST_USE;
