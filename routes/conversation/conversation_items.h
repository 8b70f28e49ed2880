/* routes/conversation/conversation_items: items that a client adds, made into messages as they are stored. */
#pragma once

#include "base/buf.h"
#include "base/limits.h"
#include "json/input.h"
#include "store/conversation.h"

/* Laid open so that it can be embedded; zero is empty. */
struct conversation_items {
	struct buf           bodies; /* what messages point into */
	struct store_message messages[LIMIT_ITEMS];
	size_t               count;
};

/* conversation_items_read: the array at `items`; function calls that stand next to each other are
 * one message, as an assistant makes them.
 * Errors: with the path of the culprit. */
enum errc conversation_items_read(struct input *in, json_at items, struct conversation_items *ret,
				  struct err *e) MUST_USE;
void      conversation_items_finish(struct conversation_items *items);
