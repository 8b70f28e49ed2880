/* Shared by the files of json/: mostly the value of a string, piece by piece and without a copy.
 * Not for other folders. */
#pragma once

#include "base/limits.h"
#include "json/scan.h"

/* json_size: the number of bytes of a string's value. */
size_t json_size(const struct json_doc *d, json_at i);

/* json_same: whether the value of inner (escaped string bytes) is text. */
bool json_same(struct str inner, struct str text);

/* json_key: the value of a key, decoded into tmp if the key has escapes.  A null pointer: the key
 * is longer than LIMIT_JSON_KEY, which is possible only before the scan has checked it. */
struct str json_key(const struct json_doc *d, json_at key, char tmp[LIMIT_JSON_KEY]);

/* json_unique: searches the object obj, whose tokens are complete, for two equal keys.  ERR_OK:
 * *ret is the second of them, or JSON_ABSENT; ERR_OVERLOADED: memory is short. */
enum errc json_unique(const struct json_doc *d, json_at obj, json_at *ret) MUST_USE;
