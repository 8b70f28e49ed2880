/* turn_cell: the messages that turns brought. */
#pragma once

#include "store/sql/query.h"

/* The table a has the messages of turns: $1 are their keys (a run's; for a message that no run brought, its own or
 * ~ its own), $2 their conversation, $3 how many messages a run can have brought.  `at` is the turn's place in $1,
 * `step` counts from its answer (0) back to its first message, and `more` says that another one must come before
 * the message. */
#define TURN_CELL_PARTS(E)                                                                            \
	"WITH RECURSIVE w AS (SELECT " E##_PLACE                                                      \
		" AS at, r.base, CAST(1 AS bigint) AS step, m.id, m.prev FROM " E##_EACH("$1",        \
											 "bigint")    \
			E##_JOIN "run r ON r.id = k.value AND r.conversation = $2 " E##_JOIN          \
		"message m ON m.id = r.parent WHERE r.parent <> 0 AND r.parent <> r.base "            \
		"UNION ALL SELECT w.at, w.base, w.step + 1, m.id, m.prev FROM w " E##_JOIN            \
		"message m ON m.id = w.prev WHERE w.prev <> w.base AND w.step < $3), "                \
		"a AS (SELECT at, step, id, CAST(CAST(prev <> 0 AND prev <> base AS int) AS bigint) " \
		"AS more FROM w UNION ALL SELECT " E##_PLACE                                          \
		", 0, m.id, 0 FROM " E##_EACH("$1", "bigint") E##_JOIN                                \
		"message m ON m.id = CASE WHEN k.value < 0 THEN ~k.value ELSE k.value END "           \
		"AND m.conversation = $2), "
/* The columns of the rows of a with the message m and the message p that it follows. */
#define TURN_CELL \
	"SELECT a.at, a.step, a.more, m.id, m.secret, m.prev, p.secret, m.run, m.created_ms, m.body "

enum {
	TURN_CELL_AT,
	TURN_CELL_STEP,
	TURN_CELL_MORE,
	TURN_CELL_ID,
	TURN_CELL_SECRET,
	TURN_CELL_PARENT,
	TURN_CELL_PARENT_SECRET,
	TURN_CELL_RUN, /* below 0: its content was removed */
	TURN_CELL_CREATED_MS,
	TURN_CELL_BODY,
	TURN_CELL_END
};

/* turn_cell_begins: whether a turn that brought messages has its first one in this row; otherwise the
 * conversation is damaged. */
static inline bool turn_cell_begins(struct row r)
{
	return cell_int(r, TURN_CELL_STEP) > 0 && !cell_int(r, TURN_CELL_MORE);
}
