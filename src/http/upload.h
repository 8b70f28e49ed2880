/* http/upload: hands a request's body over piece by piece, for routes with BODY_UPLOAD.
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

struct request;

struct upload_sink {
	/* take: the next bytes, borrowed; returns how many were taken.  Fewer than n: the rest comes
	 * again after upload_resume. */
	size_t (*take)(void *arg, const char *bytes, size_t n);
	/* whole: the body is in; from here on as in any handler: exactly one reply, now or later. */
	void (*whole)(void *arg);
	/* cut: the request is gone before its body was whole, and must not be touched any more. */
	void (*cut)(void *arg);
};

/* upload_open: from the handler; sink and arg are borrowed until whole, cut or upload_refuse. */
void upload_open(struct request *r, const struct upload_sink *sink, void *arg);
/* upload_resume: there is room again; only while the body is not whole. */
void upload_resume(struct request *r);
/* upload_refuse: instead of upload_open, or later, until whole: the answer will be this error, the
 * rest of the body is dropped, and nothing more is called.  Not from within take. */
void upload_refuse(struct request *r, const struct err *e);
