/* routes/response/response_order: the order in which the items of a response's input become messages.
 *
 * In a chat, the calls of one turn are one message, and their results follow it at once.  This API's
 * clients may have anything between the two, and reasoning between two calls. */
#pragma once

#include "base/arena.h"
#include "json/scan.h"

struct response_ordered {
	json_at  item;
	uint32_t at; /* its index in the input */
};

/* response_order: *ret: all items of the input, in the arena: reasoning that stands between calls comes
 * before them, as does what the model said between calls and their results, which come right after the calls.  follows: the input goes on with earlier
 * messages, whose calls the results of calls that are not in the input answer: these come first.
 * False: no memory. */
bool response_order(const struct json_doc *d, json_at input, bool follows, struct arena *arena,
		    struct response_ordered **ret) MUST_USE;
