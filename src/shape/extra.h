/* shape/extra: the member extra_content of a tool call. It holds what a provider must get back
 * with the call in later requests; clients of Google's own OpenAI route know to send it back.
 *
 * The event of a call's start carries it as a JSON object, or as Google's signature alone
 * (escaped). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* extra_put: appends `,"extra_content":{…}`; nothing for an empty text. False: out is full. */
bool extra_put(struct str text, struct buf *out) MUST_USE;
/* extra_of: the extra_content of a call, in the form that extra_put takes; empty: none. */
struct str extra_of(const struct json_doc *d, json_at call);
