/* conversation_row: finds rows of conversations, of their newest turns and of their messages.
 *
 * The functions return an SQLite code; on SQLITE_OK, e says whether the job is refused.  The
 * statement *ret is on the row, and the caller resets it. */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/run.h"

/* Columns of the row that conversation_row_find finds. */
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

/* The state of a conversation's newest turn. */
struct conversation_turn {
	int64_t   tip;      /* newest message after the turn, from outside of runs; 0: none */
	struct id run;      /* none: the conversation has no turn yet */
	bool      live;     /* the run has not ended */
	bool      answered; /* the run has an answer */
	int64_t   base;     /* the message that the turn's first message follows */
	int64_t   parent;   /* the message that the answer follows */
};
int conversation_row_turn(struct conn *c, sqlite3_stmt *conversation,
			  struct conversation_turn *ret) MUST_USE;

/* conversation_row_message: finds a message of the conversation, on any branch, whose content was
 * not removed.  Columns: secret, time, status of its run (NULL: no answer), body. */
int conversation_row_message(struct conn *c, struct id id, struct id conversation, int64_t owner,
			     sqlite3_stmt **ret, const char *path, struct err *e) MUST_USE;
/* conversation_row_linked: finds, by its key, a row to which another row refers; if there is none,
 * the database is damaged (SQLITE_CORRUPT). */
int conversation_row_linked(struct conn *c, const char *sql, int64_t key,
			    sqlite3_stmt **ret) MUST_USE;
