/* lmc/media: checks images and audio inside messages. */
#pragma once

#include "base/buf.h"
#include "base/str.h"
#include "json/scan.h"

/* media_base64: whether s is strict base64 (RFC 4648 section 4): standard alphabet, padded, no
 * white space, unused bits zero, not empty. */
bool media_base64(struct str s);
/* media_encode: appends bytes as base64. */
bool media_encode(struct str bytes, struct buf *out) MUST_USE;
/* media_decode: appends the bytes of a text that media_base64 accepts. */
bool media_decode(struct str base64, struct buf *out) MUST_USE;
enum { MEDIA_TYPE = 96 }; /* bytes of a media type with its NUL */
/* media_type: copies a media type (RFC 9110, 8.3.1) in lower case, without parameters, and by its registered
 * name where clients use another one (image/jpg).  False: it is none, or too long. */
bool media_type(struct str type, char ret[MEDIA_TYPE]);
/* media_may_be_text: whether data of a type, as media_type gives it, may be a text: all but pictures, sound, video and PDFs. */
bool media_may_be_text(struct str type);
/* media_data: splits a data URL (RFC 2397) with base64, whose words may be in either case, into its type, as
 * media_type gives it, and its data, which is strict base64.  False: it is no such URL. */
bool media_data(struct str url, char ret_type[MEDIA_TYPE], struct str *ret_data);
/* media_is_data: whether a URL has the scheme of data. */
bool media_is_data(struct str url);
/* media_kind: the kind of an image by its first bytes: png, jpeg, gif or webp; NULL: none of
 * them. */
const char *media_kind(const unsigned char *bytes, size_t n);
/* media_kind_base64: the same for an image in base64. */
const char *media_kind_base64(struct str s);
/* media_sound: the kind of audio by its first bytes: wav or mp3; NULL: neither. */
const char *media_sound(const unsigned char *bytes, size_t n);

/* --- picture: images that a model makes. In OpenAI's shape they are parts
 * ({"type":"image_url",…}) in the member images of a message or delta, as in OpenRouter's API;
 * LMC has messages for them.
 *
 * EVENT_MEDIA carries such a part; a part of another form means nothing to a client. */

/* picture_is: whether part, valid JSON, is an image. */
bool picture_is(struct str part);
/* picture_list: the images of a message; JSON_ABSENT: it has none. */
json_at picture_list(const struct json_doc *d, json_at message);
/* picture_url: the URL of a part; JSON_ABSENT: it has none. */
json_at picture_url(const struct json_doc *d, json_at part);
/* An image in LMC's terms; spans are borrowed from the document, or from plain. */
struct media_picture {
	const char *format;  /* base64.png, …, or url */
	struct str  content; /* base64, or a URL; plain text */
	struct buf  plain;   /* the URL without its escapes, if it has some */
};

/* picture_read: reads a part into *ret, which needs picture_finish; looks at every byte of the
 * image, which takes milliseconds if the image is large.  False: LMC has no message for this part,
 * or memory is short; then *ret needs no picture_finish. */
bool picture_read(const struct json_doc *d, json_at part, struct media_picture *ret) MUST_USE;
void picture_finish(struct media_picture *p);
/* picture_format, picture_content: append the members `,"format":…` and `,"content":…`, which
 * follow `{"role":"assistant","type":"image"` in a message or chunk.  False: no memory. */
bool picture_format(const struct media_picture *p, struct buf *out) MUST_USE;
bool picture_content(const struct media_picture *p, struct buf *out) MUST_USE;
