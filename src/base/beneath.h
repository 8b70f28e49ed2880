/* base/beneath: reads files below one directory, and no others.  The kernel (openat2(2),
 * RESOLVE_BENEATH) refuses every way out: "..", absolute links, and renames during the look-up. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct beneath;

/* beneath_open: root is a directory's path, absolute or relative to the working directory.  The
 * directory is kept open: files are read below it even if its name goes to another directory.
 * Errors: INVALID_VALUE, and INTERNAL (memory). */
enum errc beneath_open(const char *root, struct beneath **ret, struct err *e) MUST_USE;
void      beneath_destroy(struct beneath *b);
OWNABLE(beneath);

/* beneath_read: appends the whole file to out, at most max bytes; on failure out is unchanged.
 * path is below the root, or absolute, beginning with the root's own path (as it was given to
 * beneath_open, or without symbolic links).  Symbolic links must stay below the root.
 * Errors: INVALID_VALUE (for a file outside of the root, with the same text whether it exists or
 * not), OVERLOADED.
 * Threads: any but a loop's, because the call may wait for the disk. */
enum errc beneath_read(const struct beneath *b, struct str path, size_t max, struct buf *out,
		       struct err *e) MUST_USE;
