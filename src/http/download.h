/* http/download: sends an answer whose bytes may not be ready yet, of known or unknown length.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct request;
struct download;

struct download_source {
	/* ready: the waiting bytes, borrowed until `taken`. Empty: download_wake will say when
	 * there are some. *ret_failed: no more bytes will come, and the client gets a cut
	 * answer. */
	struct str (*ready)(void *arg, bool *ret_failed);
	/* taken: the first n of these bytes were sent. */
	void (*taken)(void *arg, size_t n);
	/* over: everything was sent, or the client left; the download is gone. */
	void (*over)(void *arg);
	/* ended: asked when no bytes are ready; true: the answer is complete. NULL: the length
	 * is known. */
	bool (*ended)(void *arg);
};

#define DOWNLOAD_UNKNOWN UINT64_MAX /* no length is told; a cut answer lacks its last chunk */

/* download_open: starts an answer with status 200 and the headers of reply_header. The download
 * is borrowed until `over`. NULL: no memory; nothing was sent, and `over` does not follow. */
struct download *download_open(struct request *r, uint64_t size,
			       const struct download_source *source, void *arg);
/* download_wake: says that bytes are ready, or that none will ever be. */
void download_wake(struct download *d);
