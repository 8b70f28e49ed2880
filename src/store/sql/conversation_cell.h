/* conversation_cell: finds conversations. */
#pragma once

#include "store/conversation.h"
#include "store/sql/query.h"

/* The columns of the conversations c. */
#define CONVERSATION_CELL \
	"SELECT c.id, c.secret, c.created_ms, c.rev, c.title, c.metadata, c.leaf, c.tip "

enum { CONVERSATION_CELL_LEAF = 6, CONVERSATION_CELL_TIP, CONVERSATION_CELL_END };

/* conversation_cell_find: finds a conversation; rows: none or one of CONVERSATION_CELL.
 * conversation_cell_params: its parameters.  conversation_cell_ask: asks it. */
extern const char conversation_cell_find[];
void              conversation_cell_params(struct param *a, struct id id, int64_t owner);
void              conversation_cell_ask(struct query *q, struct id id, int64_t owner);
/* conversation_cell_keep: reads a row into *ret, with texts in a; false: e says why not. */
bool conversation_cell_keep(struct row r, struct arena *a, struct store_conversation *ret,
			    struct err *e) MUST_USE;
