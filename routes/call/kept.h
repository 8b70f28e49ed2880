/* routes/call/kept: the answer of a call that another request with the same Idempotency-Key has made. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* kept_reply: sees to the reply: the bytes that were kept, or the run's events from their start, as far
 * as they are and as they come.  Bytes in read->answer are copied; rq says how it was asked.
 *
 * kept_follow: the same, of a run that goes on; its ids are those of read.  False: it can't be followed
 * (no more, or because it is not streamed): nothing was done. */
bool kept_follow(struct request *r, struct gateway *g, const struct run_request *rq,
		 struct key_read *read);
void kept_reply(struct request *r, struct gateway *g, const struct run_request *rq,
		struct key_read *read);
