/* shape/family: the list of the families (struct family, msg/family.h), and the lookup of a
 * family's shapes. */
#pragma once

#include "msg/family.h"

extern const struct family family_chat; /* LLM Chat, and all routes that are Parley's own */
extern const struct family
	family_completions;                  /* OpenAI's chat completions, and stored completions */
extern const struct family family_text;      /* OpenAI's completions of a prompt */
extern const struct family family_messages;  /* Anthropic's Messages API */
extern const struct family family_responses; /* OpenAI's Responses API */
extern const struct family family_rebyte;    /* Rebyte's API of agents */

/* The headers of family_messages. */
enum messages_header { MESSAGES_VERSION, MESSAGES_BETA, MESSAGES_STORE };

/* family_shape: the family's shape for a run that was stored with this word; the family's usual
 * shape if the word belongs to another family. */
const struct shape *family_shape(const struct family *f, struct str word);
/* family_has: whether a run that was stored with this word belongs to the family. */
bool family_has(const struct family *f, struct str word);
/* family_format: the shape with this name in the member `format` of requests; NULL: there is
 * none. */
const struct shape *family_format(const struct family *f, struct str name);
