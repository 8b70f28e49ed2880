/* provider/openai/openai_text: OpenAI's older completions of a prompt.  The request and the answer
 * are the client's and the provider's own bytes.  Internal to provider/. */
#pragma once

#include "provider/dialect.h"

/* The functions of a dialect whose prompts have `text` set (msg/prompt.h). */
enum errc openai_text_encode(const struct provider_options *o, const struct prompt *p,
			     struct buf *out, struct err *e);
enum errc openai_text_decode_event(struct decode *d, struct str name, struct str data,
				   struct err *e);
enum errc openai_text_decode_whole(struct decode *d, struct str body, struct err *e);
extern const struct dialect openai_text;
