/* conversations: the statements that change conversations outside their turns.  All run inside the
 * writer's transaction; they return codes as those of turn.h do. */
#pragma once

#include "store/sqlite/claim.h"
#include "store/sqlite/kit/db.h"
#include "store/sqlite/events.h"
#include "store/sqlite/fork.h"
#include "store/sqlite/search/search_queue.h"
#include "store/store.h"

enum conversations_sql {
	CONVERSATIONS_SQL_FIND,
	CONVERSATIONS_SQL_ADD,
	CONVERSATIONS_SQL_UPDATE,
	CONVERSATIONS_SQL_MOVE_TIP,
	CONVERSATIONS_SQL_TOUCH,
	CONVERSATIONS_SQL_ADD_LABELS,
	CONVERSATIONS_SQL_DROP_LABELS,
	CONVERSATIONS_SQL_TURN,
	CONVERSATIONS_SQL_ADD_MESSAGE,
	CONVERSATIONS_SQL_HAS_MESSAGE,
	CONVERSATIONS_SQL_EMPTY_MESSAGE,
	CONVERSATIONS_SQL_LOG,
	CONVERSATIONS_SQL_BUSY,
	CONVERSATIONS_SQL_RUNS,
	CONVERSATIONS_SQL_PREV,
	CONVERSATIONS_SQL_DROP_MESSAGE,
	CONVERSATIONS_SQL_LOOSE,
	CONVERSATIONS_SQL_DROP_LOOSE,
	CONVERSATIONS_SQL_DROP_RUNS,
	CONVERSATIONS_SQL_DROP,
	CONVERSATIONS_SQL__COUNT
};

struct conversations {
	sqlite3_stmt  *st[CONVERSATIONS_SQL__COUNT];
	struct events *events; /* borrowed */
	struct claims *claims; /* borrowed */
	struct search_queue *search; /* borrowed */
	struct forks   forks;
};

enum errc conversations_prepare(struct conversations *c, sqlite3 *db, struct events *events,
                                struct claims *claims, struct search_queue *search,
                                struct err *e) MUST_USE;
void      conversations_finish(struct conversations *c);

int conversations_write(struct conversations *c, struct conversation_write *j) MUST_USE;
