/* provider/provider_create: the list of all dialects, and the creation of a provider from its
 * options. */
#pragma once

#include "provider/provider.h"

/* provider_create: makes an owned provider of the dialect in its options. Errors: INVALID_VALUE
 * (unknown dialect, bad URL, header with control bytes, …). */
enum errc provider_create(const struct provider_options *o, struct provider **ret,
			  struct err *e) MUST_USE;
