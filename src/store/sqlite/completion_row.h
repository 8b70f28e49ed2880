/* completion_row: a stored completion as a row of a query, for those who read and who write. */
#pragma once

#include "msg/family.h"
#include "store/sqlite/kit/row.h"
#include "store/completion.h"

/* What makes a run r one, as the partial indexes say it; m is its answer, c its conversation. */
#define COMPLETION_ROW_IS "r.shape = '" SHAPE_OPENAI "' AND r.status = 2 "
#define COMPLETION_ROW                                                                              \
	"SELECT r.id, r.secret, r.created_ms, r.model, r.finish_reason, r.request_id, r.settings, " \
	"m.body, c.metadata, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, "     \
	"r.usage_cached_write, r.usage_reasoning, c.id, c.secret, c.tip "
#define COMPLETION_ROW_JOINS                                    \
	"CROSS JOIN message m ON m.id = r.id AND m.run = r.id " \
	"CROSS JOIN conversation c ON c.id = r.conversation "
/* One by its id: key, secret, owner. */
#define COMPLETION_ROW_FIND                               \
	COMPLETION_ROW "FROM run r " COMPLETION_ROW_JOINS \
		       "WHERE r.id = ? AND r.secret = ? AND r.owner = ? AND " COMPLETION_ROW_IS

/* Behind what completion_row_keep takes. */
enum {
	COMPLETION_ROW_CONVERSATION = 15,
	COMPLETION_ROW_CONVERSATION_SECRET,
	COMPLETION_ROW_TIP,
};

/* completion_row_find: steps a COMPLETION_ROW_FIND.  SQLITE_OK; with e telling that there is none, or
 * else the row is there. */
int completion_row_find(struct db_bind *b, struct id run, int64_t owner, struct err *e) MUST_USE;
/* completion_row_too_large: refuses; SQLITE_OK. */
int completion_row_too_large(struct err *e, const struct arena *a);
/* completion_row_bytes: that completion_row_keep will take, at most. */
size_t completion_row_bytes(sqlite3_stmt *st);
/* completion_row_keep: false: e says why not. */
bool completion_row_keep(sqlite3_stmt *st, struct arena *a, struct store_completion *ret,
			 struct err *e) MUST_USE;
