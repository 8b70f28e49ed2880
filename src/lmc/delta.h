/* lmc/delta: reads chunks of OpenAI's stream into a turn (rules K1, K3, K4). */
#pragma once

#include "base/err.h"
#include "json/scan.h"
#include "lmc/speech.h"

/* Zero-initialised is the beginning of a stream. */
struct delta {
	bool any;   /* something has been received */
	bool ended; /* by a chunk with an error: the rest is ignored */
};

/* delta_add: one chunk, an object.  False: no memory, or the turn stopped. */
bool delta_add(struct delta *s, const struct json_doc *d, json_at chunk, size_t index,
	       struct speech *speech, struct warnings *warnings) MUST_USE;
