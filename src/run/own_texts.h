/* run/own_texts: the texts of a request of Gemini's own API.  It may have any member, so that only data in a part, and
 * signatures, count as media. */
#pragma once

#include "json/scan.h"

/* own_texts_find: as texts_find_asked (guard/texts); request: the object with the contents: the root, or one within it.  NULL: no
 * memory. */
unsigned char *own_texts_find(const struct json_doc *d, json_at request) MUST_USE;
