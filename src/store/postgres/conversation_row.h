/* conversation_row: finds conversations. */
#pragma once

#include "store/conversation.h"
#include "store/postgres/work.h"

/* The columns of the conversations c. */
#define CONVERSATION_ROW \
	"SELECT c.id, c.secret, c.created_ms, c.rev, c.title, c.metadata, c.leaf, c.tip "

enum {
	CONVERSATION_ROW_LEAF = 6,
	CONVERSATION_ROW_TIP,
	CONVERSATION_ROW_END
};

/* conversation_row_ask: asks for a conversation; rows: none or one of CONVERSATION_ROW. */
void conversation_row_ask(struct work *w, struct id id, int64_t owner);
/* conversation_row_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool conversation_row_keep(struct row r, struct arena *a, struct store_conversation *ret,
			   struct err *e) MUST_USE;
