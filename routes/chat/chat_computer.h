/* routes/chat/chat_computer: config.computer of a request: whether code may run, and which. */
#pragma once

#include "json/input.h"
#include "routes/kit/gateway.h"
#include "schema/schema.h"

/* chat_computer_read: checks config->computer, and makes ret->computing of it; the other members of ret
 * were read before.  Where ret->computing is set already, the request approves code, and what it says of
 * that stays; config->computer may be absent then.
 * Errors: UNSUPPORTED_PARAMETER for what this gateway, its model or this request can't have,
 * INSUFFICIENT_SCOPE, and those of fields_read; the path is that of the member. */
enum errc chat_computer_read(struct input *in, const struct gateway *g,
			     const struct chat_request *c, const struct chat_config *config,
			     struct call_request *ret, struct err *e) MUST_USE;
