/* desk/tag_book: which values of tags this process has counted today.  A client chooses the values, so their number has
 * a bound: of the values of a name that a day brings, the first LIMIT_TAG_VALUES are told apart, and the others count as
 * one, "(other)".
 *
 * Nothing is allocated before the first tag.  Threads: any; one lock. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

/* tag_book_count: appends the text (msg/usage_tag) under which a call with these tags counts.  False: out is full. */
bool tag_book_count(struct str tags, int64_t now_ms, struct buf *out) MUST_USE;
