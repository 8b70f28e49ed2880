/* Bodies in pieces: passes them on, holds the client back, and notices slow clients. */
#include "http/body.h"

#include "base/limits.h"
#include "http/internal.h"
#include "http/reply.h"

#include <stdlib.h>
#include <strings.h>

/* A body has a time limit for each stretch of bytes. With one limit for all, a large file on a slow
 * line would fail; without any, a drip of bytes would never end. */
enum { STRETCH = 256 * KIB };

void upload_open(struct request *r, const struct upload_sink *sink, void *arg)
{
	CHECK(r->phase == REQUEST_HEAD && !r->upload.sink);
	r->upload = (struct request_upload){ .sink = sink, .arg = arg };
}

void upload_resume(struct request *r)
{
	if (!r->upload.waiting)
		return;
	r->upload.waiting = false;
	request_resume(r);
}

void upload_refuse(struct request *r, const struct err *e)
{
	CHECK(r->phase == REQUEST_HEAD || r->phase == REQUEST_BODY);
	r->upload.sink = NULL;
	request_refuse(r, e);
	upload_resume(r);
}

void upload_begin(struct request *r)
{
	struct str encoding = r->view.head.content_encoding;
	struct err e;

	if (encoding.n > 0 && !(encoding.n == 8 && strncasecmp(encoding.p, "identity", 8) == 0)) {
		reply_header(r, "Accept-Encoding", STR("identity"));
		err_set(&e, ERR_UNSUPPORTED_MEDIA, "",
			"a compressed body is not taken; send it without Content-Encoding");
		request_refuse(r, &e);
		return;
	}
	r->route->handle(r, r->server->app);
	CHECK(r->upload.sink || r->refusal);
}

enum MHD_Result upload_body(struct request *r, const char *bytes, size_t *n)
{
	/* A client that has announced the length may send all of it, so that it sees the answer. */
	if (!r->upload.sink) {
		r->dropped += *n;
		*n = 0;
		return r->dropped > LIMIT_LINGER_BYTES && r->view.head.body_bytes == 0 ? MHD_NO
										       : MHD_YES;
	}

	size_t taken = r->upload.sink->take(r->upload.arg, bytes, *n);
	CHECK(taken <= *n);
	*n -= taken;
	r->upload.stretch += taken;
	if (r->upload.stretch >= STRETCH) {
		r->upload.stretch = 0;
		r->connection->since_us = loop_now_us(r->server->loop);
	}
	if (*n > 0) {
		r->upload.waiting = true;
		request_suspend(r);
	}
	return MHD_YES;
}

void upload_whole(struct request *r)
{
	const struct upload_sink *sink = TAKE(r->upload.sink);

	sink->whole(r->upload.arg);
}

void upload_cut(struct request *r)
{
	const struct upload_sink *sink = TAKE(r->upload.sink);

	if (sink)
		sink->cut(r->upload.arg);
}

/* --- download: Sends answers from a slow source through libmicrohttpd's content reader. */

enum { BLOCK = 64 * KIB }; /* libmicrohttpd's buffer for one answer */

struct download {
	struct request               *request; /* alive while the reader is asked, or parked */
	const struct download_source *source;
	void                         *arg;
	/* its response has all headers, so `over` will follow */
	bool open;
	bool parked; /* suspended because no bytes are ready */
};

static ssize_t download_reader(void *cls, uint64_t pos, char *out, size_t max)
{
	struct download *d = cls;
	bool             failed = false;
	struct str       ready = d->source->ready(d->arg, &failed);

	(void)pos;
	if (failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (ready.n == 0 && d->source->ended && d->source->ended(d->arg))
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (ready.n == 0) {
		/* A return of 0 without suspending would make a busy loop. */
		d->parked = true;
		request_suspend(d->request);
		return 0;
	}

	size_t n = ready.n < max ? ready.n : max;
	memcpy(out, ready.p, n);
	d->request->bytes_out += n;
	d->source->taken(d->arg, n);
	return (ssize_t)n;
}

static void download_finish(void *cls)
{
	struct download *d = cls;

	if (d->open)
		d->source->over(d->arg);
	free(d);
}

_Static_assert(DOWNLOAD_UNKNOWN == MHD_SIZE_UNKNOWN, "one value says it to both");

struct download *download_open(struct request *r, uint64_t size,
			       const struct download_source *source, void *arg)
{
	struct download *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	*d = (struct download){ .request = r, .source = source, .arg = arg };

	struct MHD_Response *response =
		MHD_create_response_from_callback(size, BLOCK, download_reader, d, download_finish);
	if (!response) {
		free(d);
		return NULL;
	}

	struct reply_line *before = r->headers;
	reply_common_headers(r);
	response = reply_complete(r, response);
	if (!response) { /* and `finish` was called */
		r->headers = before;
		return NULL;
	}
	d->open = true;
	reply_go(r, 200, response);
	return d;
}

void download_wake(struct download *d)
{
	if (!d->parked)
		return;
	d->parked = false;
	request_resume(d->request);
}
