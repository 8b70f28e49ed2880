/* wal: watches the length of the write-ahead log.  A log that has grown long is copied back into
 * the database, most of it by a thread of its own (checkpoint.h) and the rest by the writer;
 * meanwhile the search index pauses (search_give_way).  Everything here runs on the writer's
 * thread. */
#pragma once

#include "store/sqlite/checkpoint.h"
#include "store/sqlite/search/search.h"

#include <sqlite3.h>
#include <stdint.h>

struct wal {
	sqlite3           *db;         /* borrowed */
	struct checkpoint *checkpoint; /* borrowed */
	struct search     *search;     /* borrowed */
	int64_t            page_bytes;
	int64_t            bytes; /* length of the log after the last commit */
	int64_t            mark;  /* length above which the next background copy is wanted */
};

/* wal_watch: checks the log's length after each commit on db, until wal_unwatch. */
void wal_watch(struct wal *w, sqlite3 *db, struct checkpoint *checkpoint, struct search *search);
void wal_unwatch(struct wal *w);
/* wal_copy_back: after a background copy, copies the rest of the log; only between transactions. */
void wal_copy_back(struct wal *w);
