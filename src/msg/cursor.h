/* msg/cursor: how far a reader has come in a stream: the number of the last block that was seen.
 * What the two parts count is known to the family of the stream alone. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct cursor {
	uint64_t seq; /* of an event; 0: nothing was seen */
	uint64_t nth; /* of a block among those of the event */
};

/* cursor_parse: `<n>` or `<n>.<k>`; false: neither. */
bool cursor_parse(struct str text, struct cursor *ret);
/* cursor_has: the block with the number `at` was seen. */
static inline bool cursor_has(const struct cursor *c, const struct cursor *at)
{
	return at->seq < c->seq || (at->seq == c->seq && at->seq > 0 && at->nth <= c->nth);
}
