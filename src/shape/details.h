/* shape/details: the reasoning_details of a streamed answer, which a provider must get back as one
 * list. A provider sends a long detail in pieces, and their clients put these together
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, "Preserving reasoning blocks";
 * @openrouter/ai-sdk-provider). Pure; not shared between threads. */
#pragma once

#include "base/buf.h"

struct details; /* opaque */

/* details_create: NULL: memory is short. */
struct details *details_create(void) MUST_USE;
void            details_destroy(struct details *d);
/* details_add: adds the list of one delta, JSON.  What is added counts in *bytes, at most `max`.
 * False: more than that, no JSON, or memory is short. */
bool details_add(struct details *d, struct str list, size_t *bytes, size_t max) MUST_USE;
/* details_put: appends `,"reasoning_details":[…]`; nothing for an empty list. False: out is full. */
bool details_put(const struct details *d, struct buf *out) MUST_USE;
