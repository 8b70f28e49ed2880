/* routes/call/keyed: requests with an Idempotency-Key: the first one makes the call, the others
 * get its answer. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* keyed_start: sends the reply; consumes rq->input and rq->held. */
void keyed_start(struct request *r, struct gateway *g, struct call_request *rq);
