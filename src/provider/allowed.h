/* provider/allowed: tool_choice of type allowed_tools, for APIs that lack it. Internal to provider/.
 *
 * OpenAI lets a request choose among some of its tools, so that the list of all of them stays the same
 * and in the cache. Elsewhere only these tools are sent, and the choice is the mode. Source: openai's
 * types ChatCompletionAllowedToolChoiceParam and ChatCompletionAllowedToolsParam. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "msg/prompt.h"

/* allowed_apply: replaces the members tools and tool_choice of a copy of a prompt; with another choice,
 * or none, nothing is done. What is made is in the arena. Errors, at the path of the culprit:
 * INVALID_TYPE, INVALID_VALUE; OVERLOADED. */
enum errc allowed_apply(struct prompt *p, struct arena *a, struct err *e) MUST_USE;
