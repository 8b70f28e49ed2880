/* provider/echo/echo: the built-in provider that needs no network.  Internal to provider/. */
#pragma once

#include "provider/provider.h"

/* echo_create: as provider_create. */
enum errc echo_create(const struct provider_options *o, struct provider **ret,
		      struct err *e) MUST_USE;
