/* routes/chat/chat: POST /v1/chat. */
#pragma once

#include "routes/kit/gateway.h"
#include "schema/schema.h"

/* chat_read_how: how an answer is to be made and given: all of a chat request but its messages and
 * where they belong.  Errors: with the path of the culprit. */
enum errc chat_read_how(struct input *in, const struct gateway *g, const struct chat_request *c,
			struct str default_model, struct call_request *ret, struct err *e) MUST_USE;
