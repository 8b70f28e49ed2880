/* provider/ollama/ollama: the parts of Ollama's dialect that its files share.  Internal to
 * provider/. */
#pragma once

#include "provider/dialect.h"

extern const struct dialect_embed ollama_embed;
enum errc ollama_encode(const struct provider_options *o, const struct prompt *p, struct buf *out,
			struct err *e);
