/* conversation_write: does the job of this name; also for operations that change a conversation
 * within their own transaction (completion_write.c).  Returns what an operation returns (op.h). */
#pragma once

#include "store/sqlite/session.h"
#include "store/conversation.h"

int conversation_write(struct session *s, struct conversation_write *j) MUST_USE;
