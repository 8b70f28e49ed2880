/* completion_list: one stored completion, or an owner's, page by page, inside a reader's transaction.
 *
 * They return an SQLite code; on SQLITE_OK, the job's err says whether it was refused.  Statements
 * left on a row are reset by completion_list_reset. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum completion_list_sql {
	COMPLETION_LIST_SQL_ONE,
	COMPLETION_LIST_SQL_PLACE,
	COMPLETION_LIST_SQL_RAREST,
	/* Each is followed by its descending twin. */
	COMPLETION_LIST_SQL_ALL,
	COMPLETION_LIST_SQL_ALL_DESC,
	COMPLETION_LIST_SQL_MODEL,
	COMPLETION_LIST_SQL_MODEL_DESC,
	COMPLETION_LIST_SQL_LABEL,
	COMPLETION_LIST_SQL_LABEL_DESC,
	COMPLETION_LIST_SQL_LABEL_MODEL,
	COMPLETION_LIST_SQL_LABEL_MODEL_DESC,
	COMPLETION_LIST_SQL__COUNT
};

struct completion_list {
	sqlite3_stmt *st[COMPLETION_LIST_SQL__COUNT];
};

enum errc completion_list_prepare(struct completion_list *l, sqlite3 *db, struct err *e) MUST_USE;
void      completion_list_finish(struct completion_list *l);
void      completion_list_reset(struct completion_list *l);

int completion_list_one(struct completion_list *l, struct completion_read *j) MUST_USE;
int completion_list_page(struct completion_list *l, struct completions_read *j) MUST_USE;
