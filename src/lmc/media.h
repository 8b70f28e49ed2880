/* lmc/media: checks images and audio inside messages. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* media_base64: whether s is strict base64 (RFC 4648 section 4): standard alphabet, padded, no
 * white space, unused bits zero, not empty. */
bool media_base64(struct str s);
/* media_encode: appends bytes as base64. */
bool media_encode(struct str bytes, struct buf *out) MUST_USE;
/* media_kind: the kind of an image by its first bytes: png, jpeg, gif or webp; NULL: none of
 * them. */
const char *media_kind(const unsigned char *bytes, size_t n);
/* media_kind_base64: the same for an image in base64. */
const char *media_kind_base64(struct str s);
/* media_sound: the kind of audio by its first bytes: wav or mp3; NULL: neither. */
const char *media_sound(const unsigned char *bytes, size_t n);
