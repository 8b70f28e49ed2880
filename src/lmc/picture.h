/* lmc/picture: images that a model makes, as parts of OpenAI's shape ({"type":"image_url",…}) in the
 * member images of a message or delta, as OpenRouter spells it, and what they are in LMC.
 *
 * EVENT_MEDIA carries such a part; one of another form means nothing to a client. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* picture_is: part, valid JSON, is an image. */
bool picture_is(struct str part);
/* picture_list: a message's images; JSON_ABSENT: it has none. */
json_at picture_list(const struct json_doc *d, json_at message);
/* picture_put: what LMC's message or chunk has between `{"role":"assistant","type":"image"` and its end:
 * `,"format":…` and, where content is wanted, `,"content":…`.  False where the part has no image that LMC
 * can say (out is then as it was), or memory is short. */
bool picture_put(const struct json_doc *d, json_at part, bool format, bool content, struct buf *out) MUST_USE;
