/* routes/kit/bulk: a lookup with an answer that may be large; a worker prints such an answer,
 * not the loop. */
#pragma once

#include "routes/kit/lookup.h"

/* Embedded first in what a route keeps while it waits, as a lookup is. */
struct bulk {
	struct lookup   lookup; /* print may run on a worker: no look at the request from there */
	struct work_pool *work; /* borrowed */
	struct work_job job;    /* these three: its own */
	struct buf      body;
	struct err      err;
};

/* bulk_done: as lookup_done; bytes: about how much there is to print. */
void bulk_done(struct bulk *b, const struct err *e, size_t bytes);
