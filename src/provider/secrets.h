/* provider/secrets: which values of a configuration are secrets. */
#pragma once

#include "provider/mask.h"
#include "provider/provider.h"

/* secrets_mask: the keys and secret headers of all providers, as a chain of them may repeat another's,
 * and what stands in queries and proxies for a key.  *ret has one holder.  False: no memory. */
bool secrets_mask(const struct provider_options *providers, size_t count, struct mask **ret) MUST_USE;
