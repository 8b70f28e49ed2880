/* routes/chat/chat_messages: the messages of LLM Chat, checked and made into what is stored. */
#pragma once

#include "json/input.h"

/* chat_messages_read: each element of the array at `messages` becomes what is stored: a message
 * object with a role, or an LMC message as it came; raw JSON, borrowed from the body or made in the
 * input's arena.  paths: images may be named by a path.
 * Whether uploaded files are there is seen later, by the run.
 * Errors: with the path of the culprit. */
enum errc chat_messages_read(struct input *in, json_at messages, bool paths, struct str **ret,
			     size_t *ret_count, struct err *e) MUST_USE;
