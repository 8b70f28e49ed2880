/* conversation_write: does the job of this name; also for operations that change a conversation
 * within their own transaction (completion_write.c).  Returns what an operation returns (op.h). */
#pragma once

#include "store/conversation.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/session.h"

/* fork: copies a branch into a new conversation, inside the writer's transaction.  The functions
 * return what operations return (op.h). */
/* The branch to copy; owned by the caller, all zero at first. */
struct fork {
	int64_t *keys; /* owned; keys of the messages, newest first */
	size_t   count;
	size_t   cap;
	int64_t  run; /* the run whose instruction applies to the branch; 0: none has set one */
};

/* fork_plan: lists the branch up to j->message, or up to the newest message; leaf and tip are those
 * of the source.  Errors in j->job.err: NOT_FOUND "at", REQUEST_TOO_LARGE "at". */
int fork_plan(struct conn *c, struct conversation_write *j, int64_t leaf, int64_t tip,
	      struct fork *ret) MUST_USE;
/* fork_copy: copies the messages into j->conversation, which exists and is empty. */
int fork_copy(struct conn *c, const struct conversation_write *j, const struct fork *fork) MUST_USE;
void fork_finish(struct fork *fork);

int conversation_write(struct session *s, struct conversation_write *j) MUST_USE;

/* conversation_put_keep: a conversation is kept for so long after its last activity; an SQLite code. */
int conversation_put_keep(struct conn *c, int64_t conversation, int64_t keep_ms,
			  int64_t now_ms) MUST_USE;

/* Parts of it for retention (keep.c), inside a transaction; they return an SQLite code. */
struct turn_row {
	int64_t run, parent, base, events_from, events_to; /* columns of the run */
};
/* conversation_drop_turn: removes the messages, the answer and the log of a turn, and leaves the row of its run. */
int conversation_drop_turn(struct session *s, const struct turn_row *t) MUST_USE;
int conversation_drop_message(struct session *s, int64_t key) MUST_USE;
/* conversation_empty_message: removes the content of a message, and what else has it. */
int conversation_empty_message(struct session *s, int64_t conversation, int64_t message) MUST_USE;
