/* provider/place: parts of a URL that depend on the prompt. Internal to provider/. */
#pragma once

#include "base/buf.h"

/* place_segment: appends text as one segment of a path, percent-encoded (RFC 3986 section 2.3
 * stays plain).  False: out is full, or text would be no segment of its own: empty, "." or "..". */
bool place_segment(struct buf *out, struct str text) MUST_USE;
