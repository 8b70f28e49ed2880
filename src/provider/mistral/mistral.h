/* provider/mistral/mistral: the parts of Mistral's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

extern const struct dialect_embed mistral_embed;
enum errc mistral_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			 struct err *e);
