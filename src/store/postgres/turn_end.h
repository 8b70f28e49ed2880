/* turn_end: writes the ends of runs, for jobs and for runs that lost their gateway. */
#pragma once

#include "store/postgres/work.h"
#include "store/turn.h"

/* turn_end_ask: asks the statements that end these runs; returns their number.  The first one gives a row
 * for each run that it has ended. */
size_t turn_end_ask(struct work *w, struct turn_end *const *ends, size_t count);
