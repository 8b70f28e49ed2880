/* routes/call/exchange: a request and the run that answers it, joined: plain or streamed, until one of
 * them ends. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* Reads a body into what the run needs; spans may point into the input.  A long body is read on a worker:
 * of the gateway only what never changes, and its snapshot, may be looked at. */
typedef enum errc (*exchange_read_fn)(struct input *in, const struct gateway *g,
				      struct run_request *ret, struct err *e);

/* exchange_serve: reads the request's body, starts the run and sees to the reply. */
void exchange_serve(struct request *r, struct gateway *g, exchange_read_fn read);

/* exchange_start: the same from a run's request that was read already; rq->input is consumed, and
 * rq->held, the snapshot that it was read with (NULL: this moment's). */
void exchange_start(struct request *r, struct gateway *g, struct run_request *rq);

/* exchange_call: as exchange_start, once the request's idempotency key, if any, is claimed (rq->claim)
 * and rq->owner, request_id and held are set. */
void exchange_call(struct request *r, struct gateway *g, struct run_request *rq);

/* exchange_target: for a read function: fills in who answers `model`, as far as ret->who may see; path is where the client named
 * it. */
enum errc exchange_target(const struct gateway *g, struct str model, const char *path,
			  struct run_request *ret, struct err *e) MUST_USE;
