/* provider/names: names of functions that a provider's API refuses, as short ones, and back.
 * Internal to provider/.
 *
 * Anthropic's API takes names of up to 128 letters, digits, `_` and `-`; others 64 ("mcp__server__tool"
 * is often longer), and the clients of some send other characters. The short name is the beginning of the
 * long one and a hash of it, the same in each request, so that a provider's cache and a model's memory
 * hold. Everybody but the provider sees the client's own name. Source: FunctionObject in OpenAI's
 * description of its API, and the texts of errors ("string too long. Expected a string with maximum
 * length 64"). */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "msg/event.h"
#include "msg/prompt.h"

/* The names that one call has to turn back. */
struct names;

/* names_shorten: replaces the names in the tools, the choice and the messages of a copy of a prompt;
 * what is made is in the arena. A prompt without such a name is left as it is, and was hardly read.
 * Errors: OVERLOADED, REQUEST_TOO_LARGE. */
enum errc names_shorten(struct prompt *p, struct arena *a, struct err *e) MUST_USE;

/* names_read: *ret is owned; NULL: the prompt's tools have no such name. Errors: OVERLOADED. */
enum errc names_read(const struct prompt *p, struct names **ret, struct err *e) MUST_USE;
/* names_restore: changes an event of the call: the client's names, and nothing of the provider's own
 * bytes, in which they are short. What is made is borrowed until the next event. False: nothing is
 * left of the event, or (*ret_starved) memory is short. */
bool names_restore(struct names *n, struct event *ev, bool *ret_starved) MUST_USE;
/* names_free: NULL is fine. */
void names_free(struct names *n);
