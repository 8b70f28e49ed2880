/* lmc/spool: a sink that prints an assistant's segments as LMC messages and, on request, as LMC
 * chunks too (rules G7, K6, K7). */
#pragma once

#include "base/buf.h"
#include "lmc/segment.h"

struct spool {
	struct buf *messages; /* borrowed; objects with commas between them */
	struct buf *chunks;   /* borrowed; NULL: no chunks are printed */
	struct buf  head;     /* the output of spool_head for the open segment */
	size_t      count;    /* messages so far */
};

extern const struct segment_sink spool_sink; /* its arg is a struct spool */

void spool_init(struct spool *s, struct buf *messages, struct buf *chunks);
void spool_finish(struct spool *s);

/* spool_head: appends the beginning of an object, `{"role":"assistant","type":…`, and `,"format":…`
 * if has_format.  False: out is full. */
bool spool_head(struct buf *out, enum segment_kind kind, bool has_format,
		struct str format) MUST_USE;
