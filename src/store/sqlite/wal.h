/* wal: how long the write-ahead log has grown, and what is done about that: it is copied back into the
 * database beside the writer (checkpoint.h) and, for what is left, by the writer; the index gives way.
 * On the writer's thread. */
#pragma once

#include "store/sqlite/checkpoint.h"
#include "store/sqlite/search/search.h"

#include <sqlite3.h>
#include <stdint.h>

struct wal {
	sqlite3           *db; /* borrowed, as the next two */
	struct checkpoint *checkpoint;
	struct search     *search;
	int64_t            page_bytes;
	int64_t            bytes;
	int64_t            mark; /* size at which the next checkpoint is wanted */
};

/* wal_watch: from now on each commit on db is looked at, until wal_unwatch. */
void wal_watch(struct wal *w, sqlite3 *db, struct checkpoint *checkpoint, struct search *search);
void wal_unwatch(struct wal *w);
/* wal_copy_back: the rest of a copy that was made beside; between transactions. */
void wal_copy_back(struct wal *w);
