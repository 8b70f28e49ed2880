/* lmc/segment: the segments of an assistant's answer, and the interface of whoever receives
 * them.
 *
 * Segments follow one another: open, any number of texts, close; they never nest. All texts are
 * as in lmc/text.h, borrowed for the call. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

enum segment_kind {
	SEGMENT_MESSAGE,   /* prose */
	SEGMENT_CODE,      /* format: the language */
	SEGMENT_TOOL_CALL, /* a call of a function that is none of ours; format: its name */
	SEGMENT_REVIEW,    /* format: safe, warning or unsafe */
	SEGMENT__COUNT
};

/* Each function returns false to stop, because of a limit or a lack of memory; then none of them is
 * called again. */
struct segment_sink {
	bool (*open)(void *arg, enum segment_kind kind,
		     struct str format);          /* format: .p is NULL if there is none */
	bool (*text)(void *arg, struct str text); /* never empty */
	bool (*close)(void *arg);
};

/* --- spool: a sink that prints an assistant's segments as LMC messages and, on request, as LMC
 * chunks too (rules G7, K6, K7). */

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
