/* provider/echo/echo_embed: embeddings that depend on the text only, for first tries and tests. */
#pragma once

#include "base/buf.h"
#include "msg/event.h"
#include "msg/prompt.h"

enum { ECHO_DIMENSIONS = 16, ECHO_DIMENSIONS_MAX = 256 };

/* echo_embed: makes OpenAI's list for p->embed in *ret, which the caller finishes in any case. A
 * word counts as a token. Errors: INVALID_VALUE (dimensions), OVERLOADED. */
enum errc echo_embed(const struct prompt *p, struct buf *ret, struct usage *ret_usage,
		     struct err *e);
