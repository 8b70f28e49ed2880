/* shape/family: the families that there are (msg/family.h), a file each, and how their shapes are
 * found. */
#pragma once

#include "msg/family.h"

extern const struct family family_chat; /* LLM Chat, and all else that is Parley's own */
extern const struct family
	family_completions; /* OpenAI's chat completions, and what belongs to them */

/* family_shape: the shape with this word in the store; else the usual one, in which the family
 * shows the runs of others. */
const struct shape *family_shape(const struct family *f, struct str word);
/* family_format: the shape that a client names so; NULL: none. */
const struct shape *family_format(const struct family *f, struct str name);
