/* routes/response/response_show: the members that a response shows of its request. */
#pragma once

#include "routes/response/response_tools.h"
#include "run/run.h"
#include "schema/schema.h"

/* response_show: sets ret->settings, in the arena of `in`.  Errors: OVERLOADED. */
enum errc response_show(struct input *in, const struct response_request *c,
			const struct response_tools *tools, struct call_request *ret,
			struct err *e) MUST_USE;
