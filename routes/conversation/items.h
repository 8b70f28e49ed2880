/* routes/conversation/items: stored messages as items of OpenAI's Conversations API. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "json/input.h"
#include "json/scan.h"
#include "store/conversation.h"

enum { ITEM_ID_MAX = ID_MAX + 24 };

/* A list that is being printed.  Laid open so that it can stand on the stack. */
struct items {
	struct buf     *out; /* borrowed */
	struct json_doc doc; /* one message at a time */
	size_t          count;
	char            first[ITEM_ID_MAX]; /* ids; empty while there is none */
	char            last[ITEM_ID_MAX];
};

void items_init(struct items *list, struct buf *out);
void items_finish(struct items *list);
/* items_push: appends the item or items that one stored message makes, with commas between them:
 * its text as a message item, each tool call as a function_call item, a tool's answer as a
 * function_call_output item.  Members that OpenAI has no place for (name, context) are kept on the
 * message item.  An LMC message is one message item, with code and output as text.
 * False: no memory, or the stored message is damaged; nothing was appended. */
bool items_push(struct items *list, const struct store_item *item) MUST_USE;

/* items_cursor: the message an item's id belongs to; false: no id of an item. */
bool items_cursor(struct str text, struct id *ret);

/* --- conversation_items: items that a client adds, made into messages as they are stored. */

/* Laid open so that it can be embedded; zero is empty. */
struct conversation_items {
	struct buf           bodies; /* text that messages point into */
	struct store_message messages[LIMIT_ITEMS];
	size_t               count;
};

/* conversation_items_read: the array at `items`; function calls that stand next to each other are
 * one message, as an assistant makes them.
 * Errors: with the path of the culprit. */
enum errc conversation_items_read(struct input *in, json_at items, struct conversation_items *ret,
				  struct err *e) MUST_USE;
void      conversation_items_finish(struct conversation_items *items);

/* --- conversation_print: the conversation object. */

bool conversation_print(struct buf *out, const struct store_conversation *c) MUST_USE;
