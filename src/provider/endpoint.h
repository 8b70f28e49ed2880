/* provider/endpoint: where a provider over HTTP is asked, and with which headers.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

struct upstream_target;

/* endpoint_check: what every provider over HTTP needs of its options.  Errors: INVALID_VALUE. */
enum errc endpoint_check(const struct provider_options *o, struct err *e) MUST_USE;
/* endpoint_base: how much of base_url is the base: people copy the whole endpoint from a provider's
 * page. */
size_t endpoint_base(const struct provider_options *o, const struct dialect *dialect);
/* endpoint_target: an owned target at the path below the base.  get: it is asked with GET.  Errors:
 * those of upstream_target_create, OVERLOADED. */
enum errc endpoint_target(const struct provider_options *o, const struct dialect *dialect,
			  const char *path, bool get, struct upstream_target **ret,
			  struct err *e) MUST_USE;
