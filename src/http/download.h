/* http/download: an answer from a source that may have to be waited for, of known length or not.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct request;
struct download;

struct download_source {
	/* ready: bytes waiting, borrowed until `taken`; none: download_wake tells when there are.
	 * *ret_failed: none will come, the client gets a cut answer. */
	struct str (*ready)(void *arg, bool *ret_failed);
	/* taken: the first n of them went out. */
	void (*taken)(void *arg, size_t n);
	/* over: all was sent or nobody waits any more; the download is gone. */
	void (*over)(void *arg);
	/* ended: asked when nothing is ready: true: that was all.  NULL: the length is known. */
	bool (*ended)(void *arg);
};

#define DOWNLOAD_UNKNOWN UINT64_MAX /* no length is told; a cut answer lacks its last chunk */

/* download_open: status 200 and the headers of reply_header.  The download is borrowed until
 * `over`.  NULL: no memory; nothing was sent, and `over` does not follow. */
struct download *download_open(struct request *r, uint64_t size,
			       const struct download_source *source, void *arg);
/* download_wake: there are bytes, or there never will be. */
void download_wake(struct download *d);
