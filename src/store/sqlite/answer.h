/* answer: hands finished jobs back to the loops they came from. */
#pragma once

#include "store/store.h"

/* answer_post: the jobs of a list chained by next, each done on its own loop, in the list's order;
 * one wake-up a loop.  The list is gone afterwards. */
void answer_post(struct store_job *list);
