/* shape/chunk: the encoders of OpenAI's shape: chunks of a stream, or a whole chat.completion; once as
 * OpenAI's own clients know them (data blocks only), once with what LLM Chat has besides: an id in each
 * block, names of the last ones, and our members in the first chunk or the whole answer.
 *
 * Where a provider speaks that shape itself, its own JSON goes through with only what must differ
 * spliced in or out; else the chunk is made from the event. */
#pragma once

#include "shape/encoder.h"

/* NULL: no memory. */
struct encoder *chunk_create(const struct encoder_about *about) MUST_USE;
struct encoder *chunk_create_ours(const struct encoder_about *about) MUST_USE;

/* chunk_usage: {"prompt_tokens":…,"completion_tokens":…,"total_tokens":…,…} */
bool chunk_usage(const struct usage *usage, struct buf *out) MUST_USE;
