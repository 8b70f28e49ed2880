/* Sends the content of a file. The store finds it, and workers read it piece by piece, at the
 * client's speed. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/body.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/file/file.h"
#include "routes/kit/gateway.h"
#include "store/file.h"
#include "store/job.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PIECE = 256 * KIB,
	RETRY_US = 10 * 1000, /* time until the next try of the workers' queue */
};

/*
 *   finding --> opening --> sending <--> reading --> closed
 *
 * While a worker reads, the client's connection is suspended: the download can't end then. */
struct content {
	struct gateway   *gateway;
	struct request   *request; /* until the answer begins; NULL: the client has left */
	struct download  *download;
	struct files_find find;
	struct id         id;
	struct timer      retry;

	struct work_job job; /* a worker uses the following members while it is running */
	int             fd;  /* owned; -1: not open */
	int64_t         at;  /* offset of the next piece */
	struct buf      piece;
	size_t          sent; /* bytes of the piece */
	struct err      err;
};

static void content_destroy(struct content *x)
{
	timer_stop(x->gateway->loop, &x->retry);
	arena_finish(&x->find.arena);
	buf_finish(&x->piece);
	free(x);
}

static void close_file(struct work_job *job)
{
	close(container_of(job, struct content, job)->fd);
}

static void content_closed(struct work_job *job)
{
	content_destroy(container_of(job, struct content, job));
}

/* content_finish: runs on a worker, because closing the last descriptor of a deleted file frees its
 * blocks, which takes time. */
static void content_finish(struct content *x)
{
	x->job.run = close_file;
	x->job.done = content_closed;
	if (x->fd >= 0) {
		if (work_submit(x->gateway->work, &x->job))
			return;
		close(x->fd);
	}
	content_destroy(x);
}

static void content_fail(struct content *x, const struct err *e)
{
	if (x->request)
		reply_error(x->request, e);
	x->request = NULL;
	content_finish(x);
}

static void content_client_left(void *arg)
{
	struct content *x = arg;

	x->request = NULL;
	atomic_store_explicit(&x->find.job.cancelled, true, memory_order_relaxed);
	work_unwant(&x->job);
}

/* --- reading; on a worker --- */

static enum errc read_piece(struct content *x, struct err *e)
{
	int64_t left = x->find.files[0].bytes - x->at;
	size_t  want = left < (int64_t)PIECE ? (size_t)left : PIECE;
	size_t  n = 0;

	buf_clear(&x->piece);
	x->sent = 0;
	if (!buf_reserve(&x->piece, want))
		return err_set(e, ERR_OVERLOADED, "", "no memory for the file");
	while (n < want) {
		ssize_t got = pread(x->fd, x->piece.data + n, want - n, x->at + (int64_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_STORAGE, "", "the file's content can't be read");
		n += (size_t)got;
	}
	x->piece.len = n;
	x->at += (int64_t)n;
	return ERR_OK;
}

static void content_run_read(struct work_job *job)
{
	struct content *x = container_of(job, struct content, job);

	if (x->fd < 0 &&
	    blob_open(x->gateway->store->blobs, x->find.files[0].sha256, &x->fd, &x->err) != ERR_OK)
		return;
	(void)read_piece(x, &x->err);
}

/* --- sending --- */

static void content_submit(struct content *x)
{
	if (!work_submit(x->gateway->work, &x->job))
		timer_start(x->gateway->loop, &x->retry, RETRY_US);
}

static void content_tried_again(struct timer *t)
{
	struct content *x = container_of(t, struct content, retry);

	if (x->request || x->download)
		content_submit(x);
	else
		content_finish(x);
}

static struct str content_ready(void *arg, bool *ret_failed)
{
	struct content *x = arg;

	*ret_failed = x->err.code != ERR_OK;
	if (*ret_failed)
		return STR_NONE;
	if (x->sent < x->piece.len)
		return (struct str){ x->piece.data + x->sent, x->piece.len - x->sent };
	content_submit(x); /* the piece belongs to the worker now */
	return STR_NONE;
}

static void content_taken(void *arg, size_t n)
{
	((struct content *)arg)->sent += n;
}

static void content_over(void *arg)
{
	content_finish(arg);
}

static const struct download_source source = { content_ready, content_taken, content_over, NULL };

static bool content_put_headers(struct content *x)
{
	const struct store_file *f = &x->find.files[0];
	struct buf               text;

	buf_init(&text, 4 * KIB);
	bool ok = file_disposition(&text, f->name);
	if (ok) {
		reply_header(x->request, "Content-Type", f->type);
		reply_header(x->request, "Content-Disposition", buf_view(&text));
		/* A browser must not guess the type of the file, nor run it as a page of this
		 * origin. */
		reply_header(x->request, "X-Content-Type-Options", STR("nosniff"));
		reply_header(x->request, "Content-Security-Policy",
			     STR("default-src 'none'; sandbox"));
		reply_header(x->request, "Cache-Control", STR("no-store"));
	}
	buf_finish(&text);
	return ok;
}

static void content_on_read(struct work_job *job)
{
	struct content *x = container_of(job, struct content, job);
	struct err      e;

	if (x->download) {
		download_wake(x->download);
		return;
	}
	if (!x->request || x->err.code != ERR_OK) {
		e = x->err;
		content_fail(x, &e);
		return;
	}
	if (content_put_headers(x)) {
		x->download =
			download_open(x->request, (uint64_t)x->find.files[0].bytes, &source, x);
		if (x->download) {
			x->request = NULL;
			return;
		}
	}
	err_set(&e, ERR_OVERLOADED, "", "no memory for the file");
	content_fail(x, &e);
}

static void content_on_found(struct store_job *job)
{
	struct content *x = container_of(job, struct content, find.job);

	if (!x->request || job->err.code != ERR_OK)
		content_fail(x, &job->err);
	else
		content_submit(x);
}

void file_content_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!file_id_parse(request_param(r, 0), request_family(r) == &family_rebyte, &id)) {
		reply_refuse(r, ERR_NOT_FOUND, "", "there is no such file");
		return;
	}
	struct content *x = calloc(1, sizeof *x);
	if (!x) {
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the file");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->id = id;
	x->fd = -1;
	x->retry.fn = content_tried_again;
	x->job = (struct work_job){ .loop = g->loop,
				    .run = content_run_read,
				    .done = content_on_read };
	buf_init(&x->piece, PIECE);
	x->find = (struct files_find){
		.job = { .loop = g->loop, .done = content_on_found },
		.owner = request_owner(r),
		.ids = &x->id,
		.count = 1,
	};
	arena_init(&x->find.arena, 64 * KIB);
	request_on_left(r, content_client_left, x);
	if (!store_files_find(g->store, &x->find)) {
		struct err e;

		err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
		content_fail(x, &e);
	}
}
