/* provider/remote: a provider over HTTP: a dialect joined with a connection. Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

/* remote_create: as provider_create, for one dialect. */
enum errc remote_create(const struct provider_options *o, const struct dialect *dialect,
			struct provider **ret, struct err *e) MUST_USE;
