/* lmc/delta: reads chunks of OpenAI's stream into a turn (rules K1, K3, K4). */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/speech.h"

/* The state of a stream; all zero at its beginning. */
struct delta {
	bool any;   /* the turn has received something */
	bool ended; /* a chunk had an error: later chunks are ignored */
};

/* delta_add: adds a chunk, an object, to the turn in speech; index: of the chunk, for warnings.
 * False: no memory, or a function of speech failed. */
bool delta_add(struct delta *s, const struct json_doc *d, json_at chunk, size_t index,
	       struct speech *speech, struct warnings *warnings) MUST_USE;
