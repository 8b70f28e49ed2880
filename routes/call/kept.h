/* routes/call/kept: sends the answer of an earlier request with the same Idempotency-Key. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"
#include "store/idem.h"

/* kept_reply: sends the bytes that were kept, or the events of the run from their start, with
 * new ones as they come. Copies the bytes in read->answer; rq says how the answer was requested.
 *
 * kept_follow: the same for a running run, whose ids are in read. False: the run can't be
 * followed (it has ended, or is not streamed), and nothing was done. */
bool kept_follow(struct request *r, struct gateway *g, const struct call_request *rq,
		 struct idem_read *read);
void kept_reply(struct request *r, struct gateway *g, const struct call_request *rq,
		struct idem_read *read);
