/* msg/framing: how the blocks of a stream stand in the body of an answer, such as server-sent events
 * or one JSON value a line.  A framing is a const struct, which families name (msg/family.h).  All
 * functions may be called on any thread; false: out is full. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct blocks; /* shape/block.h */
struct buf;

struct framing {
	const char *content_type; /* the body's */
	/* The bytes that a silent stream sends between two blocks to show that it is alive; empty: it
	 * sends none. */
	struct str keep_alive;
	/* open: appends what stands before a block's JSON; name: of the block's event, or NULL. */
	bool (*open)(const struct blocks *b, const char *name, struct buf *out);
	struct str close; /* the text after a block's JSON */
	/* end: appends what follows the last block of a stream, which ended well or failed.  NULL:
	 * nothing does. */
	bool (*end)(struct blocks *b, bool failed, struct buf *out);
};
