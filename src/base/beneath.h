/* base/beneath: files below one directory, and no others: the kernel refuses every way out of it,
 * by "..", by an absolute link, or by a rename while it looks. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct beneath;

/* beneath_open: root is a directory's path, absolute or below the working directory.  The directory
 * is held: what is read stays below it when its name goes to another one.
 * Errors: INVALID_VALUE, and INTERNAL (memory). */
enum errc beneath_open(const char *root, struct beneath **ret, struct err *e) MUST_USE;
void      beneath_destroy(struct beneath *b);
OWNABLE(beneath);

/* beneath_read: appends the whole file to out, at most max bytes; on failure out is unchanged.
 * path is below the root, or absolute with the root's own path in front (as it was given to
 * beneath_open, or without symbolic links).  Symbolic links may lead to where a relative path may.
 * Errors: INVALID_VALUE (also of what lies outside, in the same words whether it exists or not),
 * OVERLOADED.
 * Threads: any; it may wait for the disk, so no event loop's. */
enum errc beneath_read(const struct beneath *b, struct str path, size_t max, struct buf *out,
		       struct err *e) MUST_USE;
