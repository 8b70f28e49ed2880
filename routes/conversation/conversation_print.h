/* routes/conversation/conversation_print: the conversation object. */
#pragma once

#include "base/buf.h"
#include "store/conversation.h"

bool conversation_print(struct buf *out, const struct store_conversation *c) MUST_USE;
