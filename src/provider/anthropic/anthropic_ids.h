/* provider/anthropic/anthropic_ids: the ids of calls, as Anthropic's API takes them.  Internal to the
 * dialect.
 *
 * The API refuses a history in which an id has other characters than letters, digits, _ and -, or names two
 * calls.  Other providers give such ids (functions.Bash:0, call_0 in each answer), and a conversation may
 * change its provider.  An id that fits stays; any other one is replaced by a hash of it and of the number of
 * calls before that had it, so that the next request says the same.  Source: the API's errors,
 * "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" and "`tool_use` ids must be unique". */
#pragma once

#include "base/arena.h"

struct anthropic_id;

/* Laid open so that it can be embedded; zero-initialised is empty. */
struct anthropic_ids {
	struct arena         arena;
	struct anthropic_id *table; /* borrowed from the arena; open addressing */
	size_t               count;
	size_t               cap; /* a power of two, or 0 */
};

void anthropic_ids_init(struct anthropic_ids *s);
void anthropic_ids_finish(struct anthropic_ids *s);
/* anthropic_ids_call: *ret is what is sent for the id of a call in the message with this index; messages come
 * in their order.  anthropic_ids_result: the same for a result: that of the first call with this id which has
 * none yet, in the newest message with such a call.  Ids are escaped; *ret is borrowed from id or until
 * finish.  False: no memory. */
bool anthropic_ids_call(struct anthropic_ids *s, size_t message, struct str id,
			struct str *ret) MUST_USE;
bool anthropic_ids_result(struct anthropic_ids *s, struct str id, struct str *ret) MUST_USE;
