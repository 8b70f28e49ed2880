/* lmc/spool: a sink that prints an assistant's segments as LMC messages, and as LMC chunks where
 * they are wanted (rules G7, K6, K7). */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

struct spool {
	struct buf *messages; /* borrowed; objects with commas between them */
	struct buf *chunks;   /* borrowed; NULL: not wanted */
	struct buf  head;     /* owned: what spool_head prints for the open segment */
	size_t      count;    /* messages made */
};

extern const struct segment_sink spool_sink; /* its arg is a struct spool */

void spool_init(struct spool *s, struct buf *messages, struct buf *chunks);
void spool_finish(struct spool *s);

/* spool_head: appends `{"role":"assistant","type":…` and, if there is one, `,"format":…`; the
 * object is left open. */
bool spool_head(struct buf *out, enum segment_kind kind, bool has_format,
		struct str format) MUST_USE;
