/* What the files of json/ share: a string's value, piece by piece and without a copy.  Not for other
 * folders. */
#pragma once

#include "base/limits.h"
#include "json/scan.h"

/* json_piece: takes the next piece of the value off *inner (validated string bytes, not empty): a
 * run without escapes, borrowed from the text, or one decoded escape, kept in tmp. */
struct str json_piece(struct str *inner, char tmp[4]);

/* json_size: bytes of a string's value. */
size_t json_size(const struct json_doc *d, json_at i);

/* json_same: inner's value is text. */
bool json_same(struct str inner, struct str text);

/* json_key: the value of a key; decoded into tmp when it was escaped.  A null pointer: it is longer
 * than LIMIT_JSON_KEY, which only happens before the scan has checked it. */
struct str json_key(const struct json_doc *d, json_at key, char tmp[LIMIT_JSON_KEY]);

/* json_unique: looks for two keys of one value in the object obj, whose tokens are complete.
 * ERR_OK: *ret is the second of the two, or JSON_ABSENT; ERR_OVERLOADED: memory is short. */
enum errc json_unique(const struct json_doc *d, json_at obj, json_at *ret) MUST_USE;
