/* Exports a conversation as an archive. The store reads page by page, at the client's speed. */
#include "routes/kit/handlers.h"

#include "base/limits.h"
#include "http/body.h"
#include "http/reply.h"
#include "http/request.h"
#include "routes/kit/gateway.h"
#include "routes/kit/lookup.h"
#include "store/archive.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

enum { RETRY_US = 10 * 1000 }; /* time until the next try of the store's queue */

/*
 *   first page --> sending <--> reading --> over
 *
 * While the store reads, the client's connection is suspended: the download can't end then. */
struct export
{
	struct gateway     *gateway;
	struct request     *request; /* until the answer begins; NULL: the client has left */
	struct download    *download;
	struct archive_read read;
	struct timer        retry;
	size_t              sent;    /* bytes of the page */
	bool                reading; /* the store is reading */
	struct err          err;
};

static _Atomic int exports; /* running exports of all loops */

static void export_destroy(struct export *x)
{
	atomic_fetch_sub(&exports, 1);
	timer_stop(x->gateway->loop, &x->retry);
	archive_read_finish(&x->read);
	free(x);
}

static void export_fail(struct export *x, const struct err *e)
{
	if (x->request)
		reply_error(x->request, e);
	export_destroy(x);
}

static void export_client_left(void *arg)
{
	struct export *x = arg;

	x->request = NULL;
	atomic_store_explicit(&x->read.job.cancelled, true, memory_order_relaxed);
}

/* --- sending --- */

static void export_submit(struct export *x)
{
	struct store *s = x->gateway->store;

	x->sent = 0;
	x->reading = true;
	/* The memory of a long message is freed at once. */
	if (x->read.page.cap > 4 * LIMIT_ARCHIVE_PAGE)
		buf_finish(&x->read.page);
	buf_clear(&x->read.page);
	if (!store_archive_read(s, &x->read))
		timer_start(x->gateway->loop, &x->retry, RETRY_US);
}

static void export_tried_again(struct timer *t)
{
	export_submit(container_of(t, struct export, retry));
}

static struct str export_ready(void *arg, bool *ret_failed)
{
	struct export *x = arg;

	*ret_failed = x->err.code != ERR_OK;
	if (*ret_failed)
		return STR_NONE;
	if (x->sent < x->read.page.len)
		return (struct str){ x->read.page.data + x->sent, x->read.page.len - x->sent };
	if (x->read.has_more)
		export_submit(x);
	return STR_NONE;
}

static bool export_ended(void *arg)
{
	const struct export *x = arg;

	return !x->reading;
}

static void export_taken(void *arg, size_t n)
{
	((struct export *)arg)->sent += n;
}

static void export_over(void *arg)
{
	export_destroy(arg);
}

static const struct download_source source = { export_ready, export_taken, export_over,
					       export_ended };

static void export_put_headers(struct export *x)
{
	char id[ID_MAX], text[96];

	id_text(x->read.conversation, ID_CONVERSATION, id);
	snprintf(text, sizeof text, "attachment; filename=\"%s.jsonl\"", id);
	reply_header(x->request, "Content-Type", STR("application/jsonl"));
	reply_header(x->request, "Content-Disposition", str_of(text));
	reply_header(x->request, "X-Content-Type-Options", STR("nosniff"));
	reply_header(x->request, "Cache-Control", STR("no-store"));
}

static void export_on_read(struct store_job *job)
{
	struct export *x = container_of(job, struct export, read.job);
	struct err     e;

	x->reading = false;
	if (x->download) {
		x->err = job->err;
		download_wake(x->download);
		return;
	}
	if (!x->request || job->err.code != ERR_OK) {
		export_fail(x, &job->err);
		return;
	}
	export_put_headers(x);
	x->download = download_open(x->request, DOWNLOAD_UNKNOWN, &source, x);
	if (x->download) {
		x->request = NULL;
		return;
	}
	err_set(&e, ERR_OVERLOADED, "", "no memory for the export");
	export_fail(x, &e);
}

void conversation_export_get(struct request *r, void *app)
{
	struct gateway *g = app;
	struct id       id;

	if (!lookup_id(r, ID_CONVERSATION, "there is no such conversation", &id))
		return;
	if (atomic_fetch_add(&exports, 1) >= LIMIT_EXPORTS) {
		atomic_fetch_sub(&exports, 1);
		reply_refuse(r, ERR_OVERLOADED, "",
			     "too many conversations are being exported; try again");
		return;
	}
	struct export *x = calloc(1, sizeof *x);
	if (!x) {
		atomic_fetch_sub(&exports, 1);
		reply_refuse(r, ERR_OVERLOADED, "", "no memory for the export");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->retry.fn = export_tried_again;
	x->read = (struct archive_read){
		.job = { .loop = g->loop, .done = export_on_read },
		.owner = request_owner(r),
		.conversation = id,
		.page_bytes = LIMIT_ARCHIVE_PAGE,
	};
	buf_init(&x->read.page, 2 * (size_t)LIMIT_STORE_ROW);
	request_on_left(r, export_client_left, x);
	if (!store_archive_read(g->store, &x->read)) {
		struct err e;

		err_set(&e, ERR_OVERLOADED, "", "too many reads are waiting; try again");
		export_fail(x, &e);
	}
}
