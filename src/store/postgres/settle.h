/* settle: ends the reservations of calls and books their usage; also for whole groups. */
#pragma once

#include "store/postgres/work.h"
#include "store/usage.h"

/* settle_ask: asks one statement for these notes.  A note whose reservation is gone was booked before, and
 * does nothing; one that says that there was none, is only booked. */
void settle_ask(struct work *w, const struct usage_note *const *notes, size_t count);
