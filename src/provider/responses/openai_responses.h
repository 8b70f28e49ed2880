/* provider/responses/openai_responses: the parts of the dialect of OpenAI's Responses API that its
 * files share.  Internal to provider/. */
#pragma once

#include "provider/ask.h"
#include "provider/dialect.h"

enum errc openai_responses_encode(const struct provider_options *o, const struct prompt *p,
				  struct buf *out, struct err *e);

/* --- openai_responses_native: a client's own request on its way to a provider of its API. */

struct provider_options;

/* openai_responses_native: appends the request of p->native.
 * Errors: REQUEST_TOO_LARGE, OVERLOADED; those of earlier messages that this API can't say. */
enum errc openai_responses_native(const struct provider_options *o, const struct prompt *p,
				  struct buf *out, struct err *e) MUST_USE;
/* openai_responses_put_message: appends the items of a message, each with a comma before it but for the
 * first one.  Errors: as above. */
enum errc openai_responses_put_message(const struct ask_message *m, bool *first, struct buf *out,
				       struct err *e) MUST_USE;
