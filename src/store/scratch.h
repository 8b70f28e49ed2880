/* store/scratch: a file without a name beside the database, which is first filled and then read as
 * if it were in memory.
 *
 * Threads: all functions wait for the disk, so none is for loops; one thread at a time. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "store/blob.h"

/* Laid open so that it can be embedded; scratch_init makes it empty. */
struct scratch {
	struct buf wait;  /* bytes that are not written yet */
	int        fd;    /* owned; -1: there is no file yet */
	uint64_t   bytes; /* written */
	struct str map;   /* scratch_map */
};

void scratch_init(struct scratch *s);
void scratch_finish(struct scratch *s);
/* scratch_is_open: whether there is a file, whose room only scratch_finish gives back. */
static inline bool scratch_is_open(const struct scratch *s)
{
	return s->fd >= 0;
}
/* scratch_add: appends bytes.  Errors: STORAGE, OVERLOADED (memory). */
enum errc scratch_add(struct scratch *s, struct blobs *b, struct str bytes, struct err *e) MUST_USE;
/* scratch_map: *ret is everything that was added, borrowed until scratch_finish.  Nothing can be
 * added any more. */
enum errc scratch_map(struct scratch *s, struct str *ret, struct err *e) MUST_USE;
