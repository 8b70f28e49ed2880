/* run/session_name: the name that the runner knows a conversation by: an HMAC of owner and
 * conversation, so that no key can name another's session. */
#pragma once

#include "base/id.h"

struct store;

enum { SESSION_NAME_TEXT = 33 };

/* session_name: of the conversation, or of the unstored run; none: the owner's own. */
void session_name(const struct store *s, int64_t owner, struct id of, char ret[SESSION_NAME_TEXT]);
