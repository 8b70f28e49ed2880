/* provider/endpoint: the URLs and headers of a provider over HTTP. Internal to provider/. */
#pragma once

#include "provider/dialect.h"

struct upstream_target;

/* endpoint_check: checks the options that every provider over HTTP has. Errors: INVALID_VALUE. */
enum errc endpoint_check(const struct provider_options *o, struct err *e) MUST_USE;
/* endpoint_base: the length of base_url without the dialect's path at its end, which people copy
 * from a provider's page together with the base. */
size_t endpoint_base(const struct provider_options *o, const struct dialect *dialect);
/* endpoint_is_vendor: whether base_url has one of the dialect's hosts. */
bool endpoint_is_vendor(const struct provider_options *o, const struct dialect *dialect);
/* endpoint_value: the value of a header that the options or else the dialect name; NULL: neither
 * does.  Borrowed from them. */
const char *endpoint_value(const struct provider_options *o, const struct dialect *dialect,
			   const char *name);
/* endpoint_target: makes an owned target for a path after the base. get: GET instead of POST; only
 * then the target has the headers that calls bring along (dialect->call_headers).
 * Errors: those of upstream_target_create, OVERLOADED. */
enum errc endpoint_target(const struct provider_options *o, const struct dialect *dialect,
			  const char *path, bool get, struct upstream_target **ret,
			  struct err *e) MUST_USE;
