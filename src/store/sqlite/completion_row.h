/* completion_row: reads stored completions from rows; shared by the operations that read or change
 * completions. */
#pragma once

#include "msg/family.h"
#include "store/sqlite/kit/row.h"
#include "store/completion.h"

/* The condition that run r is a stored completion, in the words of the partial indexes.  In the
 * texts below, m is its answer and c its conversation. */
#define COMPLETION_ROW_IS "r.shape = '" SHAPE_OPENAI "' AND r.status = 2 "
#define COMPLETION_ROW                                                                              \
	"SELECT r.id, r.secret, r.created_ms, r.model, r.finish_reason, r.request_id, r.settings, " \
	"m.body, c.metadata, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, "     \
	"r.usage_cached_write, r.usage_reasoning, c.id, c.secret, c.tip "
#define COMPLETION_ROW_JOINS                                    \
	"CROSS JOIN message m ON m.id = r.id AND m.run = r.id " \
	"CROSS JOIN conversation c ON c.id = r.conversation "
/* Finds a completion; the parameters are key and secret of its id, and the owner. */
#define COMPLETION_ROW_FIND                               \
	COMPLETION_ROW "FROM run r " COMPLETION_ROW_JOINS \
		       "WHERE r.id = ? AND r.secret = ? AND r.owner = ? AND " COMPLETION_ROW_IS

/* Columns after those that completion_row_keep reads. */
enum {
	COMPLETION_ROW_CONVERSATION = 15,
	COMPLETION_ROW_CONVERSATION_SECRET,
	COMPLETION_ROW_TIP,
};

/* completion_row_find: binds and steps a statement that begins with COMPLETION_ROW_FIND.  On
 * SQLITE_OK the statement is on the row, or e is NOT_FOUND. */
int completion_row_find(struct db_bind *b, struct id run, int64_t owner, struct err *e) MUST_USE;
/* completion_row_too_large: fills e with a refusal, and returns SQLITE_OK. */
int completion_row_too_large(struct err *e, const struct arena *a);
/* completion_row_bytes: the most bytes that completion_row_keep takes of the arena for this row. */
size_t completion_row_bytes(sqlite3_stmt *st);
/* completion_row_keep: reads the row into *ret, with texts in a; false: e says why not. */
bool completion_row_keep(sqlite3_stmt *st, struct arena *a, struct store_completion *ret,
			 struct err *e) MUST_USE;
