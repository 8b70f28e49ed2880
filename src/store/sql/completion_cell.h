/* completion_cell: reads stored completions from rows; shared by the operations that read or change them. */
#pragma once

#include "msg/family.h"
#include "store/completion.h"
#include "store/sql/query.h"

/* The condition that run r is a stored completion, in the words of the partial indexes.  In the texts below,
 * m is its answer and c its conversation. */
#define COMPLETION_CELL_IS "r.shape = '" SHAPE_OPENAI "' AND r.status = 2 "
#define COMPLETION_CELL                                                                             \
	"SELECT r.id, r.secret, r.created_ms, r.model, r.finish_reason, r.request_id, r.settings, " \
	"m.body, c.metadata, r.usage_estimated, r.usage_in, r.usage_out, r.usage_cached_read, "     \
	"r.usage_cached_write, r.usage_reasoning, c.id, c.secret, c.tip "
#define COMPLETION_CELL_JOINS(E)                                       \
	E##_JOIN "message m ON m.id = r.id AND m.run = r.id " E##_JOIN \
		"conversation c ON c.id = r.conversation "
/* Finds a completion, by its id, secret and owner, and whether its conversation has other runs. */
#define COMPLETION_CELL_FIND(E)                                                   \
	COMPLETION_CELL                                                           \
	", CAST(CAST(EXISTS (SELECT 1 FROM run o WHERE o.conversation = c.id "    \
	"AND o.id <> r.id) AS int) AS bigint) FROM run r " COMPLETION_CELL_JOINS( \
		E) "WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND " COMPLETION_CELL_IS

/* Columns after those that completion_cell_keep reads. */
enum {
	COMPLETION_CELL_CONVERSATION = 15,
	COMPLETION_CELL_CONVERSATION_SECRET,
	COMPLETION_CELL_TIP,
	COMPLETION_CELL_END
};

/* completion_cell_params: the parameters of COMPLETION_CELL_FIND. */
void completion_cell_params(struct param *a, struct id run, int64_t owner);
void completion_cell_missing(struct err *e);
void completion_cell_too_large(struct err *e, const struct arena *a);
/* completion_cell_bytes: the most bytes that completion_cell_keep takes of the arena for this row. */
size_t completion_cell_bytes(struct row r);
/* completion_cell_keep: reads the row into *ret, with texts in a; false: e says why not. */
bool completion_cell_keep(struct row r, struct arena *a, struct store_completion *ret,
			  struct err *e) MUST_USE;
