/* call/cache_ask: what a client says of the answer cache, in headers. */
#pragma once

#include "base/err.h"
#include "msg/call_request.h"

struct request;

/* cache_ask_read: reads each line of `x-parley-cache`, which asks for the cache in any of its forms but `off`, and
 * then of `Cache-Control`, which only narrows what is asked.  The key, or ret->asked, may have asked before.
 * Errors: INVALID_VALUE. */
enum errc cache_ask_read(const struct request *r, struct cache_ask *ret, struct err *e) MUST_USE;
