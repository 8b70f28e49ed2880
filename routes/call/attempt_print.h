/* routes/call/attempt_print: the member attempt_list of a run object. */
#pragma once

#include "base/buf.h"
#include "store/run.h"

/* attempt_print: ,"attempt_list":[…] of what run->attempt_log and the rest of the run tell.  False:
 * out is full. */
bool attempt_print(struct buf *out, const struct run_read *run) MUST_USE;
