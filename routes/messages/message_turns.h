/* routes/messages/message_turns: Anthropic's system prompt and messages as OpenAI's messages.
 *
 * The results of tools become messages of their own, in front of what else the user's message says;
 * images and documents in a result follow in the user's message, because OpenAI's results are text.
 * Thinking that is signed is left out: it is for Anthropic's models only. */
#pragma once

#include "routes/messages/message_parts.h"

/* message_turns_read: *ret: JSON objects, in the arena or in the request.  Errors, with paths such as
 * messages.1.content.0.source: INVALID_VALUE, INVALID_TYPE, MISSING_PARAMETER,
 * UNSUPPORTED_PARAMETER, OVERLOADED. */
enum errc message_turns_read(struct message_reading *x, struct arena *arena, json_at system,
			     json_at messages, const struct str **ret, size_t *ret_count,
			     struct err *e) MUST_USE;
