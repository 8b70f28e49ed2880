/* contents: what uploaded files have in them, in the database, in parts of 256 KiB, or in a bucket.
 *
 * The row of a content says where it is (`place`), and reading follows the row; an option decides about new
 * contents.  Workers wait here for the server and for the bucket. */
#pragma once

#include "store/blob.h"
#include "store/postgres/link.h"

struct contents;

struct store_options;

/* contents_open: *ret is owned; so is *ret_blobs, which lives no longer.  target and the options' bucket are
 * borrowed.  serves: objects that nobody has are removed from the bucket. */
enum errc contents_open(const struct link_target *target, const struct store_options *o,
			bool serves, struct contents **ret, struct blobs **ret_blobs,
			struct err *e) MUST_USE;
void      contents_close(struct contents *c); /* NULL is fine */
