/* provider/openai/openai_system: the system messages of a prompt as one, for servers that take one
 * alone, in the first place.  Internal to provider/.
 *
 * OpenAI has the roles system and developer, any number of times.  DeepSeek and Moonshot refuse the
 * role developer; the chat templates of Qwen and others raise an error at a second system message;
 * Mistral refuses one after a message of the user. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "msg/prompt.h"

/* Zeroed, or read; all zero: nothing is to be changed. */
struct openai_system {
	bool *are; /* owned; for each message, whether it is one of these; NULL: none is moved */
	struct buf text; /* owned; their texts, escaped, with an empty line between two */
};

/* openai_system_read: a prompt whose only system message stands first, with the role system, is left
 * as it is.  Warns of each one that is moved (system_moved).  Errors: UNSUPPORTED_PARAMETER with its
 * path for a part that is no text, REQUEST_TOO_LARGE, OVERLOADED. */
enum errc openai_system_read(struct openai_system *ret, const struct prompt *p,
			     struct err *e) MUST_USE;
/* openai_system_has: whether a message is part of the one that is made. */
bool openai_system_has(const struct openai_system *s, size_t message);
/* openai_system_put: appends the message, unless there is no text; *first as in ask_put_comma. */
bool openai_system_put(const struct openai_system *s, bool *first, struct buf *out) MUST_USE;
/* openai_system_finish: a zeroed one is fine. */
void openai_system_finish(struct openai_system *s);
