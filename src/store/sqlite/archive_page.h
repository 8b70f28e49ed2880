/* archive_page: the statements that give a conversation as lines of an archive, a page at a time, each
 * in a read transaction of its own.
 *
 * They return an SQLite code, as those of runs.h do. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum archive_page_sql {
	ARCHIVE_PAGE_SQL_CONVERSATION,
	ARCHIVE_PAGE_SQL_RUNS,
	ARCHIVE_PAGE_SQL_LOOSE,
	ARCHIVE_PAGE_SQL_RUN,
	ARCHIVE_PAGE_SQL_LINK,
	ARCHIVE_PAGE_SQL_MESSAGE,
	ARCHIVE_PAGE_SQL__COUNT
};

struct archive_pages {
	sqlite3_stmt *st[ARCHIVE_PAGE_SQL__COUNT];
};

enum errc archive_page_prepare(struct archive_pages *a, sqlite3 *db, struct err *e) MUST_USE;
void      archive_page_finish(struct archive_pages *a);
void      archive_page_reset(struct archive_pages *a);

int archive_page_read(struct archive_pages *a, struct archive_read *j) MUST_USE;
