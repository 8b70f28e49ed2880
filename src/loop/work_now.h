/* loop/work_now: whether anybody waits for what this thread does, so that long waits can end early.
 *
 * Threads: each has its own. */
#pragma once

#include "base/base.h"

#include <stdatomic.h>
#include <stdbool.h>

/* work_now_begin: from now on, the thread works for a job (loop/work.h) with this mark, borrowed; NULL: for none. */
void work_now_begin(const atomic_bool *unwanted);
/* work_now_is_unwanted: the result of the thread's job is not wanted any more; false where it has none. */
bool work_now_is_unwanted(void);
