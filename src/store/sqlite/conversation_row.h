/* conversation_row: rows of conversations, and what leads from them to their messages.
 *
 * SQLite codes; on SQLITE_OK, e says whether the job was refused.  *ret stands on the row. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/run.h"

/* Columns of what conversation_row_find finds. */
enum {
	CONVERSATION_ROW_LEAF,
	CONVERSATION_ROW_CREATED_MS,
	CONVERSATION_ROW_TITLE,
	CONVERSATION_ROW_METADATA,
	CONVERSATION_ROW_TIP,
	CONVERSATION_ROW_REVISION,
	CONVERSATION_ROW_INSTRUCTION,
};

int conversation_row_find(struct conn *c, struct id id, int64_t owner, const char *path,
			  sqlite3_stmt **ret, struct err *e) MUST_USE;

/* Where a conversation's newest turn has got to. */
struct conversation_turn {
	int64_t   tip; /* the newest message behind it; 0: none */
	struct id run; /* none: no turn yet */
	bool      live;
	bool      answered;
	int64_t   base;
	int64_t   parent;
};
int conversation_row_turn(struct conn *c, sqlite3_stmt *conversation,
			  struct conversation_turn *ret) MUST_USE;

/* conversation_row_message: of this conversation, on whatever branch, and its content is there: secret,
 * time, its run's status if it is an answer, body. */
int conversation_row_message(struct conn *c, struct id id, struct id conversation, int64_t owner,
			     sqlite3_stmt **ret, const char *path, struct err *e) MUST_USE;
/* conversation_row_status: column 2 of that; COMPLETED where it is no answer. */
int conversation_row_status(sqlite3_stmt *st, enum run_status *ret) MUST_USE;
/* conversation_row_linked: a row that another row leads to, by its key; it has to be there. */
int conversation_row_linked(struct conn *c, const char *sql, int64_t key,
			    sqlite3_stmt **ret) MUST_USE;
