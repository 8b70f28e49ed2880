/* shape/raw_items: the items of OpenAI's Responses API that a stored message was made of.
 *
 * A message of a chat can't say all that such items do: encrypted reasoning, a message's phase, calls of
 * tools that the provider runs itself.  So a stored message has them beside its other members, and a
 * provider of this API gets them back; others are sent the message without them. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define RAW_ITEMS_KEY "response_items"

/* raw_items_take: *ret: the message without its items, *ret_items: these, with commas between them; in
 * the arena, or within the message.  Without items, *ret is the message, and *ret_items is empty.
 * Errors: OVERLOADED. */
enum errc raw_items_take(struct str message, struct arena *arena, struct str *ret,
			 struct str *ret_items, struct err *e) MUST_USE;
