/* search_read: searches, on a reader's thread.
 *
 * The newest LIMIT_SEARCH_WINDOW matches (a window) are ranked and given, the best first; then as
 * many older ones, and so on.  So a frequent word costs no more than a rare one.  Hits are read
 * from the database one by one: a message is not shown after its deletion was acknowledged, even if
 * the index still has it. */
#pragma once

#include "store/sqlite/search/search.h"
#include "store/search.h"
#include "store/words/search_snippet.h"
#include "store/words/search_text.h"

#include "store/sqlite/kit/conn.h"

struct search_candidate {
	int64_t id;
	int64_t score;
};

struct search_reads {
	struct conn            *conn;   /* borrowed; of the database */
	struct search          *search; /* borrowed */
	int64_t                 busy_ms;
	sqlite3                *index; /* owned; opened by the first search */
	sqlite3_stmt           *window;
	struct search_words     words;
	struct search_query     query;
	struct search_snippet   snippet;
	struct search_text      text;
	struct buf              match;
	struct search_candidate found[LIMIT_SEARCH_WINDOW]; /* the current window */
	size_t                  found_count;
	int64_t                 deadline_us; /* clock_mono_us */
	const struct store_job *job;         /* the search that is running; NULL: none */
};

void search_reads_init(struct search_reads *r, struct conn *conn, struct search *search,
		       int64_t busy_ms);
void search_reads_finish(struct search_reads *r);

/* search_reads_run: does a search, outside of any transaction.  Returns an SQLite code if the
 * database failed; all other errors are in j->job.err. */
int search_reads_run(struct search_reads *r, struct search_read *j) MUST_USE;
