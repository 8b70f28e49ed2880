/* json/print: prints a scanned value in a canonical spacing and escaping, however it was
 * written. */
#pragma once

#include "json/scan.h"

struct buf;

/* json_print: appends the value as compact JSON: no white space, and only those escapes that RFC
 * 8259 requires; the escape of a lone surrogate stays.  False: out is full or memory is short; out
 * may have a part of the value then. */
bool json_print(const struct json_doc *d, json_at i, struct buf *out) MUST_USE;
