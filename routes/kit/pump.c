/* Two buffers between a client and the workers. Client and worker may leave in any order. */
#include "routes/kit/pump.h"

#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"

#include <stdlib.h>

enum {
	PIECE = 256 * KIB,
	RETRY_US = 10 * 1000, /* time until the next try of the workers' queue */
};

/* --- the end --- */

static void pump_release(struct pump *p)
{
	atomic_fetch_sub(p->kind->count, 1);
	buf_finish(&p->fill);
	buf_finish(&p->piece);
	free(p);
}

static void pump_destroy(struct pump *p)
{
	p->kind->finish(p);
	pump_release(p);
}

static void pump_drop(struct work_job *job)
{
	struct pump *p = container_of(job, struct pump, job);

	p->kind->drop(p);
}

static void pump_dropped(struct work_job *job)
{
	pump_destroy(container_of(job, struct pump, job));
}

/* discard_file: a worker also frees the space on the disk, unless the pool has stopped. */
static void discard_file(struct pump *p)
{
	timer_stop(p->gateway->loop, &p->retry);
	p->request = NULL;
	p->job.run = pump_drop;
	p->job.done = pump_dropped;
	if (!p->kind->holds(p) || !work_submit(p->gateway->work, &p->job))
		pump_destroy(p);
}

void pump_refuse(struct pump *p, const struct err *e)
{
	if (p->request && p->whole)
		reply_error(p->request, e);
	else if (p->request)
		upload_refuse(p->request, e);
	discard_file(p);
}

void pump_answer(struct pump *p, struct store_job *job, struct answer_made *made,
		 bool (*print)(struct store_job *job, struct buf *out))
{
	struct err e = job->err;

	if (e.code == ERR_OK && made->key.key.n == 0 && !print(job, &made->answer))
		err_no_memory(&e);
	if (p->request && e.code == ERR_OK && made->replayed)
		reply_header(p->request, "Idempotency-Replayed", STR("true"));
	if (p->request && e.code == ERR_OK)
		reply_json_take(p->request, 200, &made->answer);
	else if (p->request)
		reply_error(p->request, &e);
	discard_file(p);
}

/* --- back and forth --- */

static void swap_buffers(struct pump *p)
{
	struct buf fill = p->fill;

	p->fill = p->piece;
	p->piece = fill;
}

/* pump_go_on: gives a full buffer, or the last one, to a worker; the other buffer then has room. */
static void pump_go_on(struct pump *p)
{
	if (p->working || (!p->whole && p->fill.len < PIECE))
		return;
	buf_clear(&p->piece);
	swap_buffers(p);
	p->last = p->whole;
	p->working = work_submit(p->gateway->work, &p->job);
	if (!p->working) {
		swap_buffers(p);
		timer_start(p->gateway->loop, &p->retry, RETRY_US);
	} else if (!p->whole) {
		upload_resume(p->request);
	}
}

static void pump_tried_again(struct timer *t)
{
	pump_go_on(container_of(t, struct pump, retry));
}

static void pump_work(struct work_job *job)
{
	struct pump *p = container_of(job, struct pump, job);

	p->kind->work(p);
}

static void pump_worked(struct work_job *job)
{
	struct pump *p = container_of(job, struct pump, job);

	p->working = false;
	if (p->kind->over(p))
		return;
	if (!p->request)
		discard_file(p);
	else if (p->err.code != ERR_OK)
		pump_refuse(p, &p->err);
	else
		pump_go_on(p);
}

static size_t pump_take(void *arg, const char *bytes, size_t n)
{
	struct pump *p = arg;
	size_t       taken = 0;

	while (taken < n && p->fill.len < PIECE) {
		size_t room = PIECE - p->fill.len;
		size_t now = n - taken < room ? n - taken : room;

		if (!buf_add(&p->fill, bytes + taken, now))
			break; /* can't fail: the memory was reserved */
		taken += now;
		pump_go_on(p);
	}
	return taken;
}

static void pump_gone(void *arg)
{
	struct pump *p = arg;

	p->request = NULL;
	work_unwant(&p->job);
	if (!p->working)
		discard_file(p);
}

static void pump_whole(void *arg)
{
	struct pump *p = arg;

	p->whole = true;
	request_on_left(p->request, pump_gone, p);
	pump_go_on(p);
}

/* --- the head --- */

static struct pump *pump_create(const struct pump_kind *kind, struct err *e)
{
	struct pump *p = NULL;

	if (atomic_fetch_add(kind->count, 1) >= kind->most)
		err_set(e, ERR_OVERLOADED, "", "%s", kind->busy);
	else if (!(p = calloc(1, kind->size)))
		err_no_memory(e);
	if (!p)
		atomic_fetch_sub(kind->count, 1);
	return p;
}

void *pump_make(const struct pump_kind *kind, struct request *r, struct gateway *g)
{
	struct err   e;
	struct pump *p = pump_create(kind, &e);

	if (!p) {
		upload_refuse(r, &e);
		return NULL;
	}
	*p = (struct pump){
		.kind = kind, .gateway = g, .request = r, .retry.fn = pump_tried_again
	};
	p->job = (struct work_job){ .loop = g->loop, .run = pump_work, .done = pump_worked };
	buf_init(&p->fill, PIECE);
	buf_init(&p->piece, PIECE);
	if (buf_reserve(&p->fill, PIECE) && buf_reserve(&p->piece, PIECE))
		return p;
	pump_release(p);
	err_no_memory(&e);
	upload_refuse(r, &e);
	return NULL;
}

void pump_start(struct pump *p)
{
	static const struct upload_sink sink = { pump_take, pump_whole, pump_gone };

	upload_open(p->request, &sink, p);
}
