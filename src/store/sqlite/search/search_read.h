/* search_read: searches, on a reader's thread.
 *
 * The newest LIMIT_SEARCH_WINDOW matches are ranked and given best first, then the next as many,
 * and so on: a word that is everywhere costs no more than a rare one.  What is found is read from
 * the database row by row: what was deleted is not shown from the moment on that its deletion was
 * acknowledged, whatever the index still has. */
#pragma once

#include "store/sqlite/search/search.h"
#include "store/search.h"
#include "store/sqlite/search/search_snippet.h"
#include "store/sqlite/search/search_text.h"

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
	sqlite3                *memory; /* owned; an empty database, for its tokenizer */
	struct search_words     words;
	struct search_query     query;
	struct search_snippet   snippet;
	struct search_text      text;
	struct buf              match;
	struct search_candidate found[LIMIT_SEARCH_WINDOW];
	size_t                  found_count;
	int64_t                 deadline_us;
	const struct store_job *job; /* the one being done */
};

void search_reads_init(struct search_reads *r, struct conn *conn, struct search *search,
		       int64_t busy_ms);
void search_reads_finish(struct search_reads *r);

/* search_reads_run: outside of any transaction; an SQLite code of the database's, job.err
 * otherwise. */
int search_reads_run(struct search_reads *r, struct search_read *j) MUST_USE;
