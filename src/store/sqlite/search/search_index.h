/* search_index: the index's own file, which can be lost: it is made anew from the messages.
 *
 * FTS5 without contents (what is found is read from the database), two columns: the text, and the
 * scope: owner, conversation and role as words, so that looking within them costs no look at each
 * hit.  Beside it a row for each message that is in, by which it is never put in twice and is found
 * when it has to go. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/sqlite/search/search_batch.h"

enum {
	/* Whatever changes text, words or tables; another one in the file: it is made anew. */
	SEARCH_FORMAT = 1,
	SEARCH_APPLICATION = 0x50735831,
	SEARCH_INSTANCE = 16, /* bytes that say which database it belongs to */
	SEARCH_SCOPE = 64,    /* room for a scope */
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
	SEARCH_INDEX_SQL__COUNT
};

struct search_index {
	sqlite3           *db; /* owned; NULL: closed */
	sqlite3_stmt      *st[SEARCH_INDEX_SQL__COUNT];
	struct search_mark mark;
	int64_t            count;   /* messages in it */
	bool               relaxed; /* commits don't wait for the disk */
};

/* What the database says of it. */
struct search_source {
	unsigned char instance[SEARCH_INSTANCE];
	int64_t       first; /* seq of the queue's first and last row; 0: it has none */
	int64_t       last;
};

/* search_index_open: the file at path, or a new one where there is none that fits `source`.
 * *ret_anew: it is a new one.  An SQLite code. */
int  search_index_open(struct search_index *x, const char *path, int64_t busy_ms,
		       const struct search_source *source, bool *ret_anew) MUST_USE;
void search_index_close(struct search_index *x);
/* search_index_remove: the files at path, so that the next opening makes a new one. */
void search_index_remove(const char *path);
/* search_index_moved: the open file is not the one at path any more. */
bool search_index_moved(const struct search_index *x);

int search_index_has(struct search_index *x, int64_t message, bool *ret) MUST_USE;
/* search_index_apply: one transaction, or nothing of it.  sync: the disk has it, and all before it,
 * when this returns.  SQLITE_CORRUPT: the index does not fit what it is told. */
int search_index_apply(struct search_index *x, struct search_batch *b, bool sync) MUST_USE;

/* search_index_scope: owner, conversation (0: any) and role (-1: any) as words. */
struct str search_index_scope(int64_t owner, int64_t conversation, int role,
			      char ret[SEARCH_SCOPE]);
/* search_index_check: whether a connection's file is an index of ours, for `instance` unless that
 * is NULL; *ret how far it is.  SQLITE_OK, SQLITE_MISMATCH: it is not, or another code. */
int search_index_check(sqlite3 *db, const unsigned char *instance, struct search_mark *ret,
		       int64_t *ret_count) MUST_USE;
