/* routes/messages/message_native: what the routes check of a request that passes through to a
 * provider of the same API. */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "msg/prompt.h"

/* message_native_check: whether the values of the headers may go to a provider.  Errors:
 * INVALID_VALUE. */
enum errc message_native_check(const struct prompt_native *n, struct err *e) MUST_USE;
/* message_native_uploads: whether the request names a file that only this gateway has. */
bool message_native_uploads(const struct json_doc *d);
