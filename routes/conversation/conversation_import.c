/* An import: the loop gathers pieces, a worker keeps them on the disk and checks them when all are
 * there, the store writes them.
 *
 *   take, take, … --full--> worker: disk --> resume
 *   whole ----------------> worker: the rest, check, check, … --> store: rows --> reply
 *
 * Two buffers change places: one is filled while the other is with the worker. */
#include "routes/conversation/conversation_import.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/upload.h"
#include "routes/kit/gateway.h"
#include "routes/conversation/import_check.h"
#include "routes/kit/key_name.h"
#include "store/archive.h"
#include "store/store.h"

#include <stdlib.h>

enum {
	PIECE = 256 * KIB,
	RETRY_US = 10 * 1000, /* until the workers' queue is asked again */
};

struct import {
	struct gateway *gateway;
	struct request *request; /* NULL: answered, or gone */
	struct buf      fill;
	struct timer    retry;
	bool            working; /* a worker has what is below */
	bool            whole;   /* no more bytes come */

	struct work_job      job;
	struct buf           piece;
	uint64_t             bytes;
	uint64_t             max;
	struct import_check  check;
	struct err           err;
	struct archive_write write;
	struct keys_name     key;    /* if write.made is to have one; key[0] 0: none */
	struct hash_sum     *sum;    /* owned; with a key: of what was sent */
};

static _Atomic int imports; /* at work, of all loops */

/* --- on a worker --- */

static void keep(struct import *x)
{
	x->bytes += x->piece.len;
	if (x->bytes > x->max) {
		err_set(&x->err, ERR_REQUEST_TOO_LARGE, "",
			"the body is over the limit of %llu bytes", (unsigned long long)x->max);
		return;
	}
	if (x->sum)
		hash_sum_add(x->sum, x->piece.data, x->piece.len);
	x->err.code = scratch_add(&x->check.in, x->check.blobs, buf_view(&x->piece), &x->err);
	buf_clear(&x->piece);
}

/* One piece, or one step: others wait for the same worker. */
static void work(struct work_job *job)
{
	struct import *x = container_of(job, struct import, job);

	if (x->piece.len > 0)
		keep(x);
	else
		x->err.code = import_check_step(&x->check, &x->err);
}

/* --- the end --- */

static void destroy(struct import *x)
{
	atomic_fetch_sub(&imports, 1);
	import_check_finish(&x->check);
	buf_finish(&x->fill);
	buf_finish(&x->piece);
	buf_finish(&x->write.results);
	buf_finish(&x->write.made.answer);
	hash_sum_destroy(x->sum);
	free(x);
}

static void drop(struct work_job *job)
{
	import_check_finish(&container_of(job, struct import, job)->check);
}

static void dropped(struct work_job *job)
{
	destroy(container_of(job, struct import, job));
}

/* discard: giving back what a file took is a worker's too, unless there is none any more. */
static void discard(struct import *x)
{
	timer_stop(x->gateway->loop, &x->retry);
	x->request = NULL;
	x->job.run = drop;
	x->job.done = dropped;
	if (!scratch_is_open(&x->check.in) && !scratch_is_open(&x->check.made))
		destroy(x);
	else if (!work_submit(x->gateway->work, &x->job))
		destroy(x);
}

static void refuse(struct import *x, const struct err *e)
{
	if (x->request && x->whole)
		reply_error(x->request, e);
	else if (x->request)
		upload_refuse(x->request, e);
	discard(x);
}

static bool print(struct import *x, struct buf *out)
{
	return buf_text(out, "{\"object\":\"conversation.import\",\"conversations\":[") &&
	       buf_str(out, buf_view(&x->write.results)) && buf_text(out, "],\"warnings\":") &&
	       warnings_print(&x->check.warnings, out) && buf_text(out, "}");
}

static bool print_made(struct store_job *job, struct buf *out)
{
	return print(container_of(job, struct import, write.job), out);
}

static void on_written(struct store_job *job)
{
	struct import *x = container_of(job, struct import, write.job);
	struct buf    *body = &x->write.made.answer;
	struct err     e = job->err;

	if (e.code == ERR_OK && !x->key.key[0] && !print(x, body))
		err_set(&e, ERR_OVERLOADED, "", "no memory for the answer");
	if (x->request && e.code == ERR_OK && x->write.made.replayed)
		reply_header(x->request, "Idempotency-Replayed", STR("true"));
	if (x->request && e.code == ERR_OK)
		reply_json_take(x->request, 200, body);
	else if (x->request)
		reply_error(x->request, &e);
	discard(x);
}

static enum errc set_key(struct import *x, struct err *e)
{
	unsigned char digest[HASH_BYTES];

	if (!x->key.key[0])
		return ERR_OK;
	hash_sum_end(x->sum, digest);
	hash_sha256(digest, sizeof digest, digest); /* as keys of earlier versions were made */
	x->write.made.key = key_name_store(&x->key);
	x->write.made.print = print_made;
	return key_name_digest(STR("POST"), STR("/v1/conversations/import"), digest, &x->key, e);
}

static void write_rows(struct import *x)
{
	struct store *s = x->gateway->store;
	struct err    e;

	x->write.job = (struct store_job){ .loop = x->gateway->loop, .done = on_written };
	x->write.text = x->check.text;
	buf_init(&x->write.results, LIMIT_IMPORT_ANSWER);
	buf_init(&x->write.made.answer, LIMIT_IMPORT_ANSWER + MIB);
	if (set_key(x, &e) == ERR_OK) {
		if (store_archive_write(s, &x->write))
			return;
		err_set(&e, ERR_OVERLOADED, "", "too many writes are waiting; try again");
	}
	refuse(x, &e);
}

/* --- back and forth; on the loop --- */

static void go_on(struct import *x);

static void tried_again(struct timer *t)
{
	go_on(container_of(t, struct import, retry));
}

static void worked(struct work_job *job)
{
	struct import *x = container_of(job, struct import, job);

	x->working = false;
	if (!x->request)
		discard(x);
	else if (x->err.code != ERR_OK)
		refuse(x, &x->err);
	else if (x->check.state == IMPORT_CHECKED)
		write_rows(x);
	else
		go_on(x);
}

static void swap(struct import *x)
{
	struct buf fill = x->fill;

	x->fill = x->piece;
	x->piece = fill;
}

/* go_on: hands a full buffer, or the last one, to a worker, and then step by step what was sent. */
static void go_on(struct import *x)
{
	if (x->working || (!x->whole && x->fill.len < PIECE))
		return;
	swap(x);
	x->working = work_submit(x->gateway->work, &x->job);
	if (!x->working) {
		swap(x);
		timer_start(x->gateway->loop, &x->retry, RETRY_US);
	} else if (!x->whole) {
		upload_resume(x->request);
	}
}

static size_t take(void *arg, const char *bytes, size_t n)
{
	struct import *x = arg;
	size_t         taken = 0;

	while (taken < n && x->fill.len < PIECE) {
		size_t room = PIECE - x->fill.len;
		size_t now = n - taken < room ? n - taken : room;

		if (!buf_add(&x->fill, bytes + taken, now))
			break; /* never: its memory was reserved */
		taken += now;
		go_on(x);
	}
	return taken;
}

/* What is with the store is written all the same. */
static void gone(void *arg)
{
	struct import *x = arg;

	x->request = NULL;
	if (!x->working && !x->write.job.done)
		discard(x);
}

static void whole(void *arg)
{
	struct import *x = arg;

	x->whole = true;
	request_on_left(x->request, gone, x);
	go_on(x);
}

static const struct upload_sink sink = { take, whole, gone };

/* --- the head --- */

static void refuse_head(struct request *r, enum errc code, const char *text)
{
	struct err e;

	err_set(&e, code, "", "%s", text);
	upload_refuse(r, &e);
}

static enum errc read_key(struct import *x, struct err *e)
{
	if (!request_idempotency_key(x->request).p)
		return ERR_OK;
	if (key_name_read(x->request, &x->key, e) != ERR_OK)
		return e->code;
	x->sum = hash_sum_begin();
	return x->sum ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the import");
}

void conversation_import_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct err      e;

	if (atomic_fetch_add(&imports, 1) >= LIMIT_IMPORTS) {
		atomic_fetch_sub(&imports, 1);
		refuse_head(r, ERR_OVERLOADED, "other imports are under way; try again");
		return;
	}
	struct import *x = calloc(1, sizeof *x);
	if (!x) {
		atomic_fetch_sub(&imports, 1);
		refuse_head(r, ERR_OVERLOADED, "no memory for the import");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->max = g->max_file < (int64_t)LIMIT_IMPORT ? (uint64_t)g->max_file : LIMIT_IMPORT;
	x->write.owner = request_owner(r);
	x->write.now_ms = clock_wall_ms();
	x->retry.fn = tried_again;
	x->job = (struct work_job){ .loop = g->loop, .run = work, .done = worked };
	buf_init(&x->fill, PIECE);
	buf_init(&x->piece, PIECE);
	import_check_init(&x->check, g->store->blobs, x->write.now_ms);
	if (!buf_reserve(&x->fill, PIECE) || !buf_reserve(&x->piece, PIECE)) {
		refuse_head(r, ERR_OVERLOADED, "no memory for the import");
		destroy(x);
		return;
	}
	if (read_key(x, &e) != ERR_OK) {
		upload_refuse(r, &e);
		destroy(x);
		return;
	}
	upload_open(r, &sink, x);
}
