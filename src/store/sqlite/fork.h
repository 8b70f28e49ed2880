/* fork: copying a branch into a new conversation, inside the writer's transaction.  The functions
 * return as operations do (op.h). */
#pragma once

#include "store/sqlite/kit/conn.h"
#include "store/conversation.h"

/* What is to be copied; owned by the caller, all zero at first. */
struct fork {
	int64_t *keys; /* owned; of the messages, newest first */
	size_t   count;
	size_t   cap;
	int64_t  run; /* the one whose instruction holds; 0: none has set one */
};

/* fork_plan: walks the branch to j->message, or to the newest message: leaf and tip are the source's.
 * j->job.err: NOT_FOUND "at", REQUEST_TOO_LARGE "at". */
int fork_plan(struct conn *c, struct conversation_write *j, int64_t leaf, int64_t tip,
	      struct fork *ret) MUST_USE;
/* fork_copy: into j->conversation, which is there, and empty. */
int fork_copy(struct conn *c, const struct conversation_write *j, const struct fork *fork) MUST_USE;
void fork_finish(struct fork *fork);
