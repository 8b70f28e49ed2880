/* listing: an owner's conversations, page by page. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum listing_sql {
	LISTING_SQL_PLACE,
	LISTING_SQL_RAREST,
	LISTING_SQL_ASC,
	LISTING_SQL_DESC,
	LISTING_SQL_LABEL_ASC,
	LISTING_SQL_LABEL_DESC,
	LISTING_SQL__COUNT
};

struct listing {
	sqlite3_stmt *st[LISTING_SQL__COUNT];
};

enum errc listing_prepare(struct listing *l, sqlite3 *db, struct err *e) MUST_USE;
void      listing_finish(struct listing *l);
void      listing_reset(struct listing *l);

/* listing_read: an SQLite code; on SQLITE_OK, job.err says whether the job was refused. */
int listing_read(struct listing *l, struct conversations_read *j) MUST_USE;
