/* routes/call/keyed: requests with an Idempotency-Key: the first one calls, the others get its answer. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* keyed_start: sees to the reply; rq->input and rq->held are consumed. */
void keyed_start(struct request *r, struct gateway *g, struct run_request *rq);
