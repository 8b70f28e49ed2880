/* provider/anthropic/anthropic: the parts of Anthropic's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

enum errc anthropic_encode(const struct provider_options *o, const struct prompt *p,
			   struct buf *out, struct err *e);
/* anthropic_native: appends the request of p->native. */
enum errc anthropic_native(const struct prompt *p, struct buf *out, struct err *e) MUST_USE;
