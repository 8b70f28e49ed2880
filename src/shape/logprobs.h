/* shape/logprobs: takes the log probabilities of tokens from an object of OpenAI's chat completions, a
 * chunk or a whole answer, in the form that the Responses API has for them.
 * Pure.
 * Source: OpenAI's API reference, "Chat completions" (choices[].logprobs.content) and "Responses"
 * (output_text.logprobs). */
#pragma once

#include "base/buf.h"

/* logprobs_add: appends the elements of the answer's first choice, with commas between them and behind
 * what out has; nothing where raw has none.  Members that the Responses API demands and the provider
 * left out become empty lists.  False: no memory, or out is full; out is unchanged. */
bool logprobs_add(struct str raw, struct buf *out) MUST_USE;
