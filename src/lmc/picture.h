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
/* picture_url: the URL of a part; JSON_ABSENT: it has none. */
json_at picture_url(const struct json_doc *d, json_at part);
/* An image in LMC's terms; spans are borrowed from the document, or from plain. */
struct picture {
	const char *format;  /* base64.png, …, or url */
	struct str  content; /* base64, or a URL; plain text */
	struct buf  plain;   /* the URL without its escapes, if it has some */
};

/* picture_read: reads a part into *ret, which needs picture_finish; looks at every byte of the
 * image, which takes milliseconds if the image is large.  False: LMC has no message for this part,
 * or memory is short; then *ret needs no picture_finish. */
bool picture_read(const struct json_doc *d, json_at part, struct picture *ret) MUST_USE;
void picture_finish(struct picture *p);
/* picture_format, picture_content: append the members `,"format":…` and `,"content":…`, which
 * follow `{"role":"assistant","type":"image"` in a message or chunk.  False: no memory. */
bool picture_format(const struct picture *p, struct buf *out) MUST_USE;
bool picture_content(const struct picture *p, struct buf *out) MUST_USE;
