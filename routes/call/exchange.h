/* routes/call/exchange: the observer of a call (call/door) that is a client's request: it gives the answer,
 * plain or streamed, until one of both ends. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* exchange_start: makes the call that rq asks for.  Consumes rq with its input and rq->held, the snapshot with
 * which it was read (NULL: the current one). */
void exchange_start(struct request *r, struct gateway *g, struct call_request *rq);
