/* lmc/picture: images that a model makes. In OpenAI's shape they are parts
 * ({"type":"image_url",…}) in the member images of a message or delta, as in OpenRouter's API;
 * LMC has messages for them.
 *
 * EVENT_MEDIA carries such a part; a part of another form means nothing to a client. */
#pragma once

#include "base/buf.h"
#include "json/scan.h"

/* picture_is: whether part, valid JSON, is an image. */
bool picture_is(struct str part);
/* picture_list: the images of a message; JSON_ABSENT: it has none. */
json_at picture_list(const struct json_doc *d, json_at message);
/* What LMC says of an image; spans are borrowed from the document, or from plain. */
struct picture {
	const char *format;
	struct str  content;
	struct buf  plain; /* the URL without its escapes, if it has some */
};

/* picture_read: false where the part has no image that LMC can say, or memory is short; nothing is to be
 * finished then.  It looks at every byte of the image. */
bool picture_read(const struct json_doc *d, json_at part, struct picture *ret) MUST_USE;
void picture_finish(struct picture *p);
/* picture_format, picture_content: the members `,"format":…` and `,"content":…`, which follow
 * `{"role":"assistant","type":"image"` in a message or chunk.  False: no memory. */
bool picture_format(const struct picture *p, struct buf *out) MUST_USE;
bool picture_content(const struct picture *p, struct buf *out) MUST_USE;
