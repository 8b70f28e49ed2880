/* routes/call/intake: takes in a client's request for a run: reads its body, and hands it to exchange, which
 * makes the call (call/door). */
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

/* intake_request: an empty request of its caller's, in the arena of its input; NULL: no memory. */
struct call_request *intake_request(struct request *r, struct input *in) MUST_USE;

/* intake_model: for read functions: door_target for a member `model`, unless the path names the
 * model: then the path decides. */
enum errc intake_model(const struct gateway *g, struct str model, struct call_request *ret,
		       struct err *e) MUST_USE;
