/* routes/console/console_inflate: gzip's bytes as they were before. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

/* console_inflate: appends the len bytes that gzip was made of to out.  False: no memory, or gzip was
 * made of something else. */
bool console_inflate(struct str gzip, size_t len, struct buf *out) MUST_USE;
