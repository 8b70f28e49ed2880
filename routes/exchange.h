/* routes/exchange: a request and the run that answers it, joined: plain or streamed, until one of
 * them ends. */
#pragma once

#include "http/request.h"
#include "routes/gateway.h"

/* exchange_start: starts the run and sees to the reply; rq->input is consumed.  provider and held
 * are set from the target found in the gateway's snapshot. */
void exchange_start(struct request *r, struct gateway *g, struct run_request *rq);
