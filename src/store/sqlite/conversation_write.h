/* conversation_write: the job of that name, for what else changes conversations in the same transaction
 * (completion_write.c).  Returns as an operation does (op.h). */
#pragma once

#include "store/sqlite/session.h"
#include "store/conversation.h"

int conversation_write(struct session *s, struct conversation_write *j) MUST_USE;
