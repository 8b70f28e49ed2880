/* contents: what uploaded files have in them, in the database, in parts of 256 KiB.
 *
 * Workers wait here for the server, on connections that are made when they are needed; one is kept. */
#pragma once

#include "store/blob.h"
#include "store/postgres/link.h"

struct contents;

/* contents_open: *ret is owned; so is *ret_blobs, which lives no longer.  target is borrowed. */
enum errc contents_open(const struct link_target *target, struct contents **ret,
			struct blobs **ret_blobs, struct err *e) MUST_USE;
void      contents_close(struct contents *c); /* NULL is fine */
