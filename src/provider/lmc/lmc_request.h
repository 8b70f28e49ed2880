/* provider/lmc/lmc_request: the request to a provider that speaks LMC. Internal to provider/. */
#pragma once

#include "provider/dialect.h"

/* lmc_request_encode: as encode of struct dialect. Errors: INVALID_VALUE, INVALID_TYPE,
 * MISSING_PARAMETER, UNSUPPORTED_PARAMETER with the path of the member that LMC can't express;
 * REQUEST_TOO_LARGE, OVERLOADED. */
enum errc lmc_request_encode(const struct provider_options *o, const struct prompt *prompt,
			     struct buf *out, struct err *e) MUST_USE;
