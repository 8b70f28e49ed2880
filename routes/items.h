/* routes/items: stored messages as items of OpenAI's Conversations API. */
#pragma once

#include "json/value.h"
#include "store/store.h"

/* items_push: appends the item or items that one stored message makes: its text as a message item,
 * each tool call as a function_call item, a tool's answer as a function_call_output item.  Members
 * that OpenAI has no place for (name, context) are kept on the message item.
 * False: no memory, or the stored message is damaged. */
bool items_push(struct value *list, const struct store_item *item) MUST_USE;

/* items_cursor: the message an item's id belongs to; false: no id of an item. */
bool items_cursor(struct str text, struct id *ret);
