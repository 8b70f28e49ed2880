/* routes/call/intake: how a request that asks for a run comes in: its body is read, its key looked up,
 * and the call made.
 *
 *   intake --> keyed (with an Idempotency-Key) --> exchange
 *                                            \--> kept (it was answered before) */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* Reads a body into what the run needs; spans may point into the input.  A long body is read on a
 * worker: of the gateway only what never changes, and its snapshot, may be looked at. */
typedef enum errc (*intake_read_fn)(struct input *in, const struct gateway *g,
				    struct run_request *ret, struct err *e);

/* intake_serve: reads the request's body, starts the run and sees to the reply. */
void intake_serve(struct request *r, struct gateway *g, intake_read_fn read);

/* intake_start: the same from a run's request that was read already; rq->input is consumed, and
 * rq->held, the snapshot that it was read with (NULL: this moment's).  Without a shape it gets the
 * usual one of the request's family. */
void intake_start(struct request *r, struct gateway *g, struct run_request *rq);

/* intake_target: for a read function: fills in who answers `model`, as far as ret->who may see;
 * path is where the client named it. */
enum errc intake_target(const struct gateway *g, struct str model, const char *path,
			struct run_request *ret, struct err *e) MUST_USE;
