/* shape/chunk: the encoders of OpenAI's shape. They print the chunks of a stream, or a whole
 * chat.completion. chunk_create prints what OpenAI's clients know (blocks with data only).
 * chunk_create_ours adds what LLM Chat has besides: an id in each block, names of the last blocks,
 * and Parley's own members in the first chunk or in the whole answer.
 *
 * The JSON of a provider that speaks OpenAI's API goes through unchanged, except for members that
 * must be added, replaced or removed; the events of other providers are printed as new chunks. */
#pragma once

#include "shape/encoder.h"

/* NULL: no memory. */
struct encoder *chunk_create(const struct encoder_about *about) MUST_USE;
struct encoder *chunk_create_ours(const struct encoder_about *about) MUST_USE;

/* chunk_usage: appends {"prompt_tokens":…,"completion_tokens":…,"total_tokens":…,…}. False: out is
 * full. */
bool chunk_usage(const struct usage *usage, struct buf *out) MUST_USE;
