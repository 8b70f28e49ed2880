/* provider/embed_want: the requirements for the answer to a request for embeddings. Internal to
 * provider/. */
#pragma once

#include "base/limits.h"
#include "msg/prompt.h"

struct embed_want {
	size_t count;
	bool   base64;
	/* The tokens of the input, estimated: some providers count none, and OpenAI's clients expect a
	 * number. */
	int64_t guess;
	char    model[LIMIT_MODEL + 1]; /* the upstream's name, for answers without a name */
};

/* embed_want_create: owned, freed with free(); NULL: no memory. */
struct embed_want *embed_want_create(const struct prompt *p) MUST_USE;
