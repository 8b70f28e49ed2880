/* archive_rows: the statements that write an archive's conversations, inside the writer's transaction
 * or one of their own. */
#pragma once

#include "archive/archive_walk.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/search/search_queue.h"
#include "store/store.h"

enum archive_rows_sql {
	ARCHIVE_ROWS_SQL_BEGIN,
	ARCHIVE_ROWS_SQL_UNDO,
	ARCHIVE_ROWS_SQL_END,
	ARCHIVE_ROWS_SQL_HAS_CONVERSATION,
	ARCHIVE_ROWS_SQL_HAS,
	ARCHIVE_ROWS_SQL_ADD_CONVERSATION,
	ARCHIVE_ROWS_SQL_ADD_LABELS,
	ARCHIVE_ROWS_SQL_ADD_RUN,
	ARCHIVE_ROWS_SQL_ADD_MESSAGE,
	ARCHIVE_ROWS_SQL__COUNT
};

struct archive_rows {
	sqlite3_stmt        *st[ARCHIVE_ROWS_SQL__COUNT];
	struct search_queue *search; /* borrowed */
};

enum errc archive_rows_prepare(struct archive_rows *a, sqlite3 *db, struct search_queue *search,
                               struct err *e) MUST_USE;
void      archive_rows_finish(struct archive_rows *a);

/* archive_rows_write: an SQLite code; on SQLITE_OK, job->err says whether it was refused, and then
 * nothing was written. */
int archive_rows_write(struct archive_rows *a, struct archive_write *j) MUST_USE;
