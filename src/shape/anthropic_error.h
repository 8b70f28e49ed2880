/* shape/anthropic_error: errors in the shape of Anthropic's Messages API.  Source: its API
 * reference, "Errors". */
#pragma once

#include "base/err.h"

struct buf;

/* anthropic_error_http: the status of e.  An overloaded gateway or provider is a 529, by which
 * clients of this API tell that waiting helps. */
int anthropic_error_http(const struct err *e);
/* anthropic_error_put: appends {"type":"error","error":{"type":…,"message":…,"param":…,"code":…},
 * "request_id":…}.  Paths have dots only: messages.1.content.0.  False: out is full. */
bool anthropic_error_put(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
/* anthropic_error_body: the same with a line break, as a body. */
bool anthropic_error_body(const struct err *e, struct str request_id, struct buf *out) MUST_USE;
