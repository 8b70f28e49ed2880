/* routes/kit/lookup: a request that waits for one read of the store. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"
#include "store/store.h"

/* Embedded first in what a route keeps while it waits; owned by the lookup from start to end. */
struct lookup {
	struct store_job *job; /* the read, in the same memory; cancelled when the client leaves */
	struct request *request; /* NULL: the client left */
	/* print: the answer's body from what was read; false: as why says, or no memory. */
	bool (*print)(struct lookup *l, struct buf *out);
	struct err why; /* code ERR_OK: not said */
	/* destroy: frees it, the read's arena included. */
	void (*destroy)(struct lookup *l);
};

/* lookup_start: started is what the submitter returned; false answers 503. */
void lookup_start(struct lookup *l, struct request *r, bool started);
/* lookup_done: from the job's done; sends the answer or the error. */
void lookup_done(struct lookup *l, const struct err *e);
