/* conversation_cell: finds conversations. */
#pragma once

#include "store/conversation.h"
#include "store/postgres/work.h"

/* The columns of the conversations c. */
#define CONVERSATION_CELL \
	"SELECT c.id, c.secret, c.created_ms, c.rev, c.title, c.metadata, c.leaf, c.tip "

enum { CONVERSATION_CELL_LEAF = 6, CONVERSATION_CELL_TIP, CONVERSATION_CELL_END };

/* conversation_cell_ask: asks for a conversation; rows: none or one of CONVERSATION_CELL. */
void conversation_cell_ask(struct work *w, struct id id, int64_t owner);
/* conversation_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e) MUST_USE;
