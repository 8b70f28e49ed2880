/* provider/provider_create: the one list of dialects, and how a provider is made from its options. */
#pragma once

#include "provider/provider.h"

/* provider_create: finds the dialect and makes an owned provider.
 * Errors: INVALID_VALUE (unknown dialect, bad URL, header with control bytes, …). */
enum errc provider_create(const struct provider_options *o, struct provider **ret,
			  struct err *e) MUST_USE;
