/* store/scratch: a file without a name beside the database, filled from its front and then read as if
 * it were in memory.
 *
 * Threads: everything here waits for the disk: never on a loop.  One thread's at a time. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "store/blob.h"

/* Laid open so that it can be embedded; scratch_init makes it empty. */
struct scratch {
	struct buf wait; /* what was not written yet */
	int        fd;   /* -1: not made */
	uint64_t   bytes;
	struct str map;
};

void scratch_init(struct scratch *s);
void scratch_finish(struct scratch *s);
/* scratch_is_open: there is something that only scratch_finish gives back to the disk. */
static inline bool scratch_is_open(const struct scratch *s)
{
	return s->fd >= 0;
}
/* scratch_add: Errors: STORAGE, OVERLOADED (memory). */
enum errc scratch_add(struct scratch *s, struct blobs *b, struct str bytes, struct err *e) MUST_USE;
/* scratch_map: all that was added; borrowed until scratch_finish.  Nothing can be added after it. */
enum errc scratch_map(struct scratch *s, struct str *ret, struct err *e) MUST_USE;
