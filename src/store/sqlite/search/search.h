/* search: the thread that fills the search index, after the writes and at its own pace.
 *
 *   writer --row in search_queue--> commit --wake--> store-indexer --batch--> index file
 *      ^                                                                        |
 *      +--------- clears the queue up to seq <-------- once it is on the disk --+
 *
 * The process may be killed at any point: work that was not committed in the index is still in the
 * queue, and the index knows the messages that it has and takes none twice.  A failure of the index
 * file never affects a turn. */
#pragma once

#include "base/err.h"
#include "store/search.h"
#include "store/sqlite/kit/conn.h"
#include "store/store.h"
#include "store/words/search_snippet.h"
#include "store/words/search_text.h"

struct search;
struct search_recent;

/* search_create: path is the absolute path of the database; the index is a file beside it.  *ret is
 * owned.  Errors: STORAGE. */
enum errc search_create(const char *path, int64_t busy_ms, struct search **ret,
			struct err *e) MUST_USE;
/* search_start: starts the thread, which calls settled(arg, seq) when the rows of the queue up to
 * seq are not needed any more.  Errors: STORAGE. */
enum errc search_start(struct search *s, void (*settled)(void *arg, int64_t seq), void *arg,
		       struct err *e) MUST_USE;
/* search_stop: indexes what is in the queue, as far as a short time allows, and ends the thread,
 * which search_start may start again.  NULL is fine. */
void search_stop(struct search *s);
void search_destroy(struct search *s);

/* search_wake: `added` turns or changes were put into the queue; gone: some of them remove messages,
 * so the next batch begins soon.  Any thread; cheap. */
void search_wake(struct search *s, int64_t added, bool gone);
/* search_catch_up: waits until the index has all rows of the queue up to seq, and lets the next batch
 * begin at once; gives up at until_us (clock_mono_us), or if the index can't be filled now.  Any
 * thread. */
void search_catch_up(struct search *s, int64_t seq, int64_t until_us);
/* search_give_way: now: the database's write-ahead log has grown long, and can start over only at a
 * moment in which nobody reads; the indexer then pauses for a while.  Any thread; cheap. */
void search_give_way(struct search *s, bool now);
/* search_damaged: a reader found the index file damaged; the indexer makes it anew.  Any thread. */
void search_damaged(struct search *s);
/* search_recent_of: where the writer leaves turns for the indexer; borrowed. */
struct search_recent *search_recent_of(struct search *s);
/* search_ready: the index file is open, and belongs to this database.  Any thread. */
bool search_ready(struct search *s);
/* search_in_trouble: the indexer's last step failed.  Any thread. */
bool        search_in_trouble(struct search *s);
const char *search_path(const struct search *s); /* path of the index file */
void        search_stats(struct search *s, struct store_stats *ret);

/* search_read: searches, on a reader's thread.
 *
 * The newest LIMIT_SEARCH_WINDOW matches (a window) are ranked and given, the best first; then as
 * many older ones, and so on.  So a frequent word costs no more than a rare one.  Hits are read
 * from the database one by one: a message is not shown after its deletion was acknowledged, even if
 * the index still has it. */
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
