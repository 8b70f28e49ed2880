/* usage_gather: what calls have used, summed up in memory until the writer takes it.  Threads: any, but
 * for usage_gather_flush. */
#pragma once

#include "store/sqlite/budgets.h"

struct usage_gather;

struct usage_gather *usage_gather_create(void); /* NULL: no memory */
void                 usage_gather_destroy(struct usage_gather *g);

/* usage_gather_add: true: it is the first since the last flush. */
bool usage_gather_add(struct usage_gather *g, const struct usage_note *note);
/* usage_gather_flush: books all in the transaction that is open; they count as written only with
 * usage_gather_done, which says whether it was committed. */
int  usage_gather_flush(struct usage_gather *g, struct budgets *b) MUST_USE;
void usage_gather_done(struct usage_gather *g, bool written);
/* usage_gather_any: there is something to write. */
bool usage_gather_any(struct usage_gather *g);
