/* lmc/media: checks images and audio inside messages. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

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
