/* provider/interactions/interactions: the parts of the dialect gemini-interactions that its files share.
 * Internal to provider/. */
#pragma once

#include "provider/dialect.h"

enum errc interactions_encode(const struct provider_options *o, const struct prompt *p,
			      struct buf *out, struct err *e);

/* interactions_object: reads a member that must be an object. *ret: JSON_ABSENT if it is absent or null. */
enum errc interactions_object(const struct json_doc *doc, json_at obj, const char *key,
			      json_at *ret, struct err *e) MUST_USE;
/* interactions_usage: reads `usage` and `service_tier` of an interaction or an event; what is not there stays. */
enum errc interactions_usage(const struct json_doc *doc, json_at holder, struct usage *ret,
			     struct err *e) MUST_USE;

/* interactions_take_error: fills e from an error object, and returns its code.  interactions_fail_all: the same for an error
 * in the place of an answer or an event.  interactions_is_error: whether a step has an error, which is not OK. */
enum errc interactions_take_error(struct decode *d, json_at error, struct err *e);
enum errc interactions_fail_all(struct decode *d, struct err *e);
bool      interactions_is_error(const struct json_doc *doc, json_at error);

/* The thoughts that led to a call, or to a picture, go back to the model before it.  The call carries them as
 * clients of Google's own route for OpenAI's API return them: a thought_signature.  That is all where there is
 * one thought; several, and a call's own signature, are told beside it.  A picture carries the last one:
 *
 *   {"google":{"thought_signature":"c","interactions":{"thoughts":["a","b"],"call":"c"}}}
 */
#define INTERACTIONS_CARRIED "interactions"
