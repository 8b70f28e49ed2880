/* run/plan: how a call can be asked again, after the death of its gateway: what the store does not keep of its
 * request.  It is the first event of the run's log (EVENT_ASKED, name), and is there before a provider is asked.
 * Messages, instruction, model, shape and what is shown of the request are in the run's row and its branch.
 *
 * A JSON object; whoever writes one reads those of all earlier versions. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "json/input.h"
#include "msg/call_request.h"

/* plan_print: false: out is full, or memory is short. */
bool plan_print(const struct call_request *rq, struct buf *out) MUST_USE;
/* plan_read: in's body is a plan; fills what, manner and caller of rq, but who; spans are in's.  *ret_who: the
 * name of whose key it was (desk/ticket).  Errors: INTERNAL: it is none. */
enum errc plan_read(struct input *in, struct call_request *rq, struct str *ret_who,
		    struct err *e) MUST_USE;
