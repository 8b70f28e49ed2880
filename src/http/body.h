/* http/body: bodies that pass in pieces, to a handler and from one.
 *
 * Uploads: hands a request's body over piece by piece, for routes with BODY_UPLOAD.
 *
 *   head --> handle() --> upload_open --> take, take, … --> whole --> one reply
 *                     \-> upload_refuse                \--> cut (the client left)
 *
 * The handler of such a route runs when the head is in. Bytes that a sink does not take stay
 * with the client: the connection is suspended until upload_resume.
 *
 * Threads: the loop's own. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct request;

struct upload_sink {
	/* take: gets the next bytes, borrowed, and returns how many it took.  If these are fewer
	 * than n, the others come again after upload_resume. */
	size_t (*take)(void *arg, const char *bytes, size_t n);
	/* whole: the body is complete; the sink must reply exactly once, now or later. */
	void (*whole)(void *arg);
	/* cut: the request ended before its body was complete, and must not be used any more. */
	void (*cut)(void *arg);
};

/* upload_open: to be called by the handler; sink and arg are borrowed until whole, cut or
 * upload_refuse. */
void upload_open(struct request *r, const struct upload_sink *sink, void *arg);
/* upload_resume: the sink has room again.  Only before whole. */
void upload_resume(struct request *r);
/* upload_refuse: answers with this error and drops the rest of the body; the sink is not called any
 * more.  Instead of upload_open, or later, but before whole.  Not from within take. */
void upload_refuse(struct request *r, const struct err *e);

/* --- download: sends an answer whose bytes may not be ready yet, of known or unknown length.
 *
 * Threads: the loop's own. */

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
