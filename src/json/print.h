/* json/print: a scanned value written out again, in one form whoever wrote it. */
#pragma once

#include "json/scan.h"

struct buf;

/* json_print: appends the value as compact JSON: no white space, and only those escapes that RFC
 * 8259 needs (a lone half of a surrogate pair stays the escape it is).  False: out is full or memory
 * is short; what was added then is out's own to drop. */
bool json_print(const struct json_doc *d, json_at i, struct buf *out) MUST_USE;
