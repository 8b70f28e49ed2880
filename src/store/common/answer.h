/* answer: returns finished jobs to the loops that submitted them. */
#pragma once

#include "store/store.h"

/* answer_post: calls `done` of each job in a list chained by next, on the job's own loop, in the
 * list's order, and with one wake-up for each loop.  The list is not valid afterwards. */
void answer_post(struct store_job *list);
