/* shape/text_chunk: the encoder of OpenAI's older completions, whose answer is a text without a
 * message: text_completion objects, whole and as chunks.  Source: OpenAI's API reference,
 * "Completions". */
#pragma once

#include "shape/encoder.h"

/* NULL: no memory.  text_chunk_create_raw: the answer of a provider that completes prompts itself, in
 * its own bytes. */
struct encoder *text_chunk_create(const struct encoder_about *about) MUST_USE;
struct encoder *text_chunk_create_raw(const struct encoder_about *about) MUST_USE;
