/* Sends answers from a slow source through libmicrohttpd's content reader. */
#include "http/download.h"

#include "base/limits.h"
#include "http/internal.h"

#include <stdlib.h>

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
