/* lmc/media: checks of images and sound that come inside messages. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* media_base64: strict RFC 4648 section 4: standard alphabet, padded, no white space, unused bits
 * zero, not empty. */
bool media_base64(struct str s);
/* media_encode: bytes as base64, appended. */
bool media_encode(struct str bytes, struct buf *out) MUST_USE;
/* media_kind: png, jpeg, gif or webp by the first bytes of an image; NULL: none of them. */
const char *media_kind(const unsigned char *bytes, size_t n);
/* media_kind_base64: the same for an image in base64. */
const char *media_kind_base64(struct str s);
/* media_sound: wav or mp3 by the first bytes of sound; NULL: neither. */
const char *media_sound(const unsigned char *bytes, size_t n);
