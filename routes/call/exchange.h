/* routes/call/exchange: joins a request with the run that answers it, plain or streamed, until
 * one of them ends. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* exchange_call: admits a call, starts its run and sends the reply. rq is as intake_start leaves
 * it; its idempotency key, if any, is claimed (rq->claim). Consumes rq->input and rq->held. */
void exchange_call(struct request *r, struct gateway *g, struct call_request *rq);
