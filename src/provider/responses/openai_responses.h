/* provider/responses/openai_responses: the parts of the dialect of OpenAI's Responses API that its
 * files share.  Internal to provider/. */
#pragma once

#include "provider/dialect.h"

enum errc openai_responses_encode(const struct provider_options *o, const struct prompt *p,
				  struct buf *out, struct err *e);
