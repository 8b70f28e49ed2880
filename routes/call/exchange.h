/* routes/call/exchange: a request and the run that answers it, joined: plain or streamed, until one of
 * them ends. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* exchange_call: lets a call in, starts its run and sees to the reply.  rq is as intake_start leaves it;
 * its idempotency key, if any, is claimed (rq->claim).  rq->input and rq->held are consumed. */
void exchange_call(struct request *r, struct gateway *g, struct run_request *rq);
