/* routes/kit/limit_headers: the headers that tell a caller's limits, for the reply to come. */
#pragma once

#include "http/request.h"
#include "routes/kit/gateway.h"

/* limit_headers_put: these limits.  limit_headers_look: as they stand now, for an answer without a call. */
void limit_headers_put(struct request *r, const struct rate_view *view);
void limit_headers_look(struct request *r, const struct gateway *g);
