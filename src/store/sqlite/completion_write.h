/* completion_write: changing stored completions, inside the writer's transaction.  A completion's
 * metadata is its conversation's, so what is done here is done to that. */
#pragma once

#include "store/sqlite/conversations.h"
#include "store/sqlite/kit/db.h"
#include "store/store.h"

enum completion_write_sql {
	COMPLETION_WRITE_SQL_FIND,
	COMPLETION_WRITE_SQL_OTHERS,
	COMPLETION_WRITE_SQL__COUNT
};

struct completion_writes {
	sqlite3_stmt         *st[COMPLETION_WRITE_SQL__COUNT];
	struct conversations *conversations; /* borrowed */
};

enum errc completion_write_prepare(struct completion_writes *w, sqlite3 *db,
				   struct conversations *conversations, struct err *e) MUST_USE;
void      completion_write_finish(struct completion_writes *w);

/* As the functions of turn.h. */
int completion_write(struct completion_writes *w, struct completion_write *j) MUST_USE;
