/* The queue's way into the index in a process that serves nobody and so has no indexer. */
#include "store/sqlite/search/search_drain.h"

#include "store/sqlite/search/search_feed.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DRAIN_PAUSE_MS = 20 }; /* between two looks for a reader that holds the index's log */

static int drain_queue(struct search_feed *f, struct search_index *x, struct search_batch *b)
{
	int64_t waiting;
	int     rc;

	do {
		rc = search_feed_fill(f, x, false, b, &waiting);
		if (rc == SQLITE_OK)
			rc = search_index_apply(x, b, true);
	} while (rc == SQLITE_OK && b->full);
	return rc;
}

static int drain_purge(struct search_index *x, int64_t busy_ms)
{
	int64_t tries = busy_ms / DRAIN_PAUSE_MS;
	bool    more = x->stained;
	int     rc = SQLITE_OK;

	while (rc == SQLITE_OK && more) {
		rc = search_index_purge(x, busy_ms, &more);
		if (rc != SQLITE_OK || !more || x->merging)
			continue;
		if (tries-- <= 0)
			return SQLITE_BUSY;
		nanosleep(&(struct timespec){ .tv_nsec = DRAIN_PAUSE_MS * 1000000L }, NULL);
	}
	return rc;
}

static int drain_index(struct search_feed *f, const char *path, int64_t busy_ms,
		       const struct search_source *source)
{
	struct search_index x;
	struct search_batch b;
	bool                anew = false;
	bool                room = search_batch_init(&b);
	int                 rc = search_index_open(&x, path, busy_ms, source, &anew);

	if (rc == SQLITE_OK)
		rc = room ? drain_queue(f, &x, &b) : SQLITE_NOMEM;
	if (rc == SQLITE_OK)
		rc = drain_purge(&x, busy_ms);
	search_batch_finish(&b);
	search_index_close(&x);
	return rc;
}

enum errc search_drain(const char *path, int64_t busy_ms, int64_t *ret_seq, struct err *e)
{
	char                 index[PATH_MAX];
	struct search_feed   f;
	struct search_source source = { .last = 0 };
	int                  n = snprintf(index, sizeof index, "%s.search", path);

	*ret_seq = 0;
	if (n < 0 || (size_t)n >= sizeof index)
		return err_set(e, ERR_STORAGE, "", "the path of the database is too long");
	enum errc rc = search_feed_open(&f, path, busy_ms, e);
	int       code = rc == ERR_OK ? search_feed_source(&f, &source) : SQLITE_OK;
	if (code != SQLITE_OK)
		rc = db_fail(f.conn.db, code, path, "read", e);
	if (rc == ERR_OK && access(index, F_OK) == 0 &&
	    drain_index(&f, index, busy_ms, &source) != SQLITE_OK)
		search_index_remove(index);
	*ret_seq = source.last;
	search_feed_close(&f);
	return rc;
}
