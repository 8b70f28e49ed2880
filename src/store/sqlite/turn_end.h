/* turn_end: does the job of this name; also for runs that could not end themselves (unfinished.h,
 * recover.h).  Returns what an operation returns (op.h), but a refused end settles the run's usage
 * all the same. */
#pragma once

#include "store/sqlite/session.h"
#include "store/turn.h"

int turn_end(struct session *s, struct turn_end *j) MUST_USE;
