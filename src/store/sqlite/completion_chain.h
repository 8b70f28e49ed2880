/* completion_chain: what a stored completion was asked, page by page, inside a reader's transaction.
 * Codes and statements as in completion_list.h. */
#pragma once

#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum completion_chain_sql {
	COMPLETION_CHAIN_SQL_FIND,
	COMPLETION_CHAIN_SQL_LINK,
	COMPLETION_CHAIN_SQL_BODY,
	COMPLETION_CHAIN_SQL__COUNT
};

struct completion_chain {
	sqlite3_stmt *st[COMPLETION_CHAIN_SQL__COUNT];
};

enum errc completion_chain_prepare(struct completion_chain *c, sqlite3 *db, struct err *e) MUST_USE;
void      completion_chain_finish(struct completion_chain *c);
void      completion_chain_reset(struct completion_chain *c);

int completion_chain_read(struct completion_chain *c, struct completion_messages_read *j) MUST_USE;
