/* provider/secrets: collects the secrets of a configuration. */
#pragma once

#include "provider/secret_mask.h"
#include "provider/provider.h"

/* secrets_mask: makes a mask of the keys and secret headers of all providers, because a chain of
 * providers may repeat another one's, and of the secrets in queries and proxies. *ret has one
 * holder. False: no memory. */
bool secrets_mask(const struct provider_options *providers, size_t count,
		  struct mask **ret) MUST_USE;
