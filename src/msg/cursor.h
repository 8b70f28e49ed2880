/* msg/cursor: how far a reader has come in a stream: the number of the last block that it
 * received. Only the family of the stream knows what the two parts of the number count. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct cursor {
	uint64_t seq; /* an event's number; 0: nothing was seen */
	uint64_t nth; /* a block's number among those of the event */
};

/* cursor_parse: reads `<n>` or `<n>.<k>`; false: text is neither. */
bool cursor_parse(struct str text, struct cursor *ret);
/* cursor_has: whether the reader has received the block with the number `at`. */
static inline bool cursor_has(const struct cursor *c, const struct cursor *at)
{
	return at->seq < c->seq || (at->seq == c->seq && at->seq > 0 && at->nth <= c->nth);
}
