/* shape/extra: what a provider wants back with a call when it is told of it again, as a call's member
 * extra_content: clients of Google's own OpenAI route know to give that back.
 *
 * An event of a call's start carries it as a JSON object, or as Google's signature alone (escaped). */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* extra_put: `,"extra_content":{…}`; nothing for an empty text. */
bool extra_put(struct str text, struct buf *out) MUST_USE;
/* extra_of: a call's, as extra_put takes it; empty: none. */
struct str extra_of(const struct json_doc *d, json_at call);
