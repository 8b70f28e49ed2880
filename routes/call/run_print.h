/* routes/call/run_print: the run object. */
#pragma once

#include "base/buf.h"
#include "desk/live.h"
#include "store/run.h"

/* run_print: {"id":…,"object":"run",…}.  False: out is full. */
bool run_print(struct buf *out, const struct run_read *run) MUST_USE;
/* run_print_live: the same for a run that is not stored. */
bool run_print_live(struct buf *out, const struct live *live) MUST_USE;
