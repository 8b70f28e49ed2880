/* search_index: the file of the search index.  It may be lost, and is then made anew from the
 * messages.
 *
 * The index is an FTS5 table without contents, because hits are read from the database.  It has two
 * columns: the text, and the scope, which has owner, conversation and role as words, so that these
 * filters cost no look at each match.  Another table has a row for each indexed message; with this
 * row, a message is never added twice, is found when it must be removed, and is ranked by its
 * length.  Titles of conversations are rows of their own, with the role SEARCH_ROLE_TITLE. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "store/sqlite/kit/db.h"

#include <stdint.h>
#include <stdlib.h>

/* search_batch: the changes of the index in one transaction, and how far the index is then. */
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

enum {
	/* To be raised with each change of texts, words or tables: an index file with another
	 * number is made anew. */
	SEARCH_FORMAT = 3,
	SEARCH_APPLICATION = 0x50735831, /* PRAGMA application_id of the file */
	SEARCH_INSTANCE = 16,            /* bytes that identify the database of an index */
	SEARCH_SCOPE = 64,               /* room for a scope */
};

enum search_index_sql {
	SEARCH_INDEX_SQL_BEGIN,
	SEARCH_INDEX_SQL_COMMIT,
	SEARCH_INDEX_SQL_STATE,
	SEARCH_INDEX_SQL_HAS,
	SEARCH_INDEX_SQL_FIND,
	SEARCH_INDEX_SQL_ADD,
	SEARCH_INDEX_SQL_ADD_TEXT,
	SEARCH_INDEX_SQL_DROP,
	SEARCH_INDEX_SQL_DROP_TEXT,
	SEARCH_INDEX_SQL_MARK,
	SEARCH_INDEX_SQL_STAIN,
	SEARCH_INDEX_SQL_PURGE,
	SEARCH_INDEX_SQL__COUNT
};

struct search_index {
	sqlite3           *db; /* owned; NULL: closed */
	sqlite3_stmt      *st[SEARCH_INDEX_SQL__COUNT];
	struct search_mark mark;
	int64_t            count;   /* messages in the index */
	bool               relaxed; /* commits don't wait for the disk */
	bool               stained; /* has words of texts that were removed */
	bool               merging; /* the words are being written anew, without those */
};

/* The database's data about its index. */
struct search_source {
	unsigned char instance[SEARCH_INSTANCE];
	int64_t       first; /* seq of the queue's first row; 0: the queue is empty */
	int64_t       last;  /* seq of the queue's last row; 0: the queue is empty */
};

/* search_index_open: opens the file at path, or makes a new one (*ret_anew) if there is none that
 * fits `source`.  Returns an SQLite code. */
int  search_index_open(struct search_index *x, const char *path, int64_t busy_ms,
		       const struct search_source *source, bool *ret_anew) MUST_USE;
void search_index_close(struct search_index *x);
/* search_index_remove: removes the files of the index at path; the next opening makes a new one. */
void search_index_remove(const char *path);
/* search_index_moved: the open file was removed or moved. */
bool search_index_moved(const struct search_index *x);

/* search_index_doc: the row of a message or of a conversation's title: two kinds of keys that may be
 * equal, in the order of time.  search_index_key: the key again. */
static inline int64_t search_index_doc(int64_t key, bool title)
{
	return (int64_t)((uint64_t)key << 1 | title);
}
static inline bool search_index_is_title(int64_t doc)
{
	return doc & 1;
}
static inline int64_t search_index_key(int64_t doc)
{
	return (int64_t)((uint64_t)doc >> 1);
}
/* search_index_has: whether a row is in the index; returns an SQLite code. */
int search_index_has(struct search_index *x, int64_t doc, bool *ret) MUST_USE;
/* search_index_apply: applies a batch, whose ops it sorts, as one transaction; returns an SQLite
 * code.  sync: this batch and all before it are on the disk at the return.  SQLITE_CORRUPT: the
 * index contradicts the batch. */
int search_index_apply(struct search_index *x, struct search_batch *b, bool sync) MUST_USE;

/* search_index_purge: does a step of removing the words of texts that were removed: FTS5 only notes that they
 * are gone, until it merges the last of its segments.  *ret_more: further steps are needed; a reader may hold
 * the log.  Returns an SQLite code. */
int search_index_purge(struct search_index *x, int64_t busy_ms, bool *ret_more) MUST_USE;

/* search_index_scope: owner, conversation (0: any) and role (-1: any) as words, printed to ret. */
struct str search_index_scope(int64_t owner, int64_t conversation, int role,
			      char ret[SEARCH_SCOPE]);
/* search_index_check: whether the connection's file is a search index of Parley, of the database
 * `instance` (NULL: of any); *ret: how far the index is.  Returns SQLITE_OK; SQLITE_MISMATCH: the
 * file is something else; or another SQLite code. */
int search_index_check(sqlite3 *db, const unsigned char *instance, struct search_mark *ret,
		       int64_t *ret_count) MUST_USE;
