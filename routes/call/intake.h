/* routes/call/intake: takes in a request for a run: reads its body, looks up its idempotency
 * key, and makes the call.
 *
 *   intake --> keyed (with an Idempotency-Key) --> exchange
 *                                            \--> kept (it was answered before) */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* Reads a body into the members of a run's request; spans may point into the input. A worker
 * reads a long body: the function may look only at the constant parts of the gateway, and at its
 * snapshot. */
typedef enum errc (*intake_read_fn)(struct input *in, const struct gateway *g,
				    struct call_request *ret, struct err *e);

/* intake_serve: reads the request's body, starts the run and sends the reply. */
void intake_serve(struct request *r, struct gateway *g, intake_read_fn read);

/* intake_serve_model: the same where the path names the model. */
void intake_serve_model(struct request *r, struct gateway *g, struct str model,
			intake_read_fn read);

/* intake_start: the same for a request that was read already. Consumes rq->input and rq->held,
 * the snapshot with which it was read (NULL: the current one). A request without a shape gets
 * the first shape of its family. */
void intake_start(struct request *r, struct gateway *g, struct call_request *rq);

/* intake_model: for read functions: intake_target for a member `model`, unless the path names the
 * model: then the path decides. */
enum errc intake_model(const struct gateway *g, struct str model, struct call_request *ret,
		       struct err *e) MUST_USE;
/* intake_target: for read functions: finds the target of `model` among the models that ret->who
 * may use; path is the place of the model's name in the body. */
enum errc intake_target(const struct gateway *g, struct str model, const char *path,
			struct call_request *ret, struct err *e) MUST_USE;
