/* An upload: the loop gathers pieces, a worker takes them apart, hashes and writes them, the store
 * keeps a row.
 *
 *   take, take, … --full--> worker: form -> hash, disk --> resume
 *   whole ----------------> worker: the rest, sync, rename --> store: row --> reply
 *
 * Two buffers change places: one is filled while the other is with the worker. */
#include "routes/file/file_upload.h"

#include "base/clock.h"
#include "base/limits.h"
#include "http/multipart.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/upload.h"
#include "routes/file/file_print.h"
#include "routes/kit/gateway.h"
#include "routes/kit/key_name.h"
#include "store/file.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PIECE = 256 * KIB,
	RETRY_US = 10 * 1000, /* until the workers' queue is asked again */
	PURPOSE_MAX = 32,
};

enum field { FIELD_NONE, FIELD_FILE, FIELD_PURPOSE };

struct upload {
	struct gateway *gateway;
	struct request *request; /* NULL: answered, or gone */
	struct buf      fill;
	struct timer    retry;
	bool            working; /* a worker, or in the end the store, has what is below */
	bool            whole;   /* no more bytes come */

	struct work_job    job;
	struct buf         piece;
	bool               last; /* the piece under way is the last one */
	struct multipart   form;
	enum field         field; /* whose content comes */
	struct blob_write *blob;  /* owned */
	bool               placed;
	bool               has_file;
	bool               has_purpose;
	char               label[FILE_LABEL_MAX];
	char               type[FILE_TYPE_MAX];
	char               purpose[PURPOSE_MAX + 1];
	size_t             purpose_len;
	int64_t            max_file;
	struct err         err;
	struct file_add    add;
	struct keys_name   key; /* if add.made is to have one; key[0] 0: none */
};

static _Atomic int uploads; /* at work, of all loops */

/* --- the form; on a worker --- */

static enum errc on_file(struct upload *x, const struct multipart_part *p, struct err *e)
{
	if (x->has_file)
		return err_set(e, ERR_INVALID_VALUE, "file", "only one file can be uploaded at once");
	if (!p->is_file)
		return err_set(e, ERR_INVALID_VALUE, "file",
			       "must be sent as a file: its part needs a filename");
	x->has_file = true;
	x->field = FIELD_FILE;
	file_label(p->filename, x->label);
	file_type(p->content_type, x->type);
	return blob_begin(x->gateway->store->blobs, &x->blob, e);
}

static enum errc on_part(void *arg, const struct multipart_part *p, struct err *e)
{
	struct upload *x = arg;
	char           name[MULTIPART_NAME + 1];

	if (str_is(p->name, "file"))
		return on_file(x, p, e);
	if (str_is(p->name, "purpose") && !x->has_purpose) {
		x->has_purpose = true;
		x->field = FIELD_PURPOSE;
		return ERR_OK;
	}
	str_copy(name, sizeof name, p->name);
	if (str_is(p->name, "purpose"))
		return err_set(e, ERR_INVALID_VALUE, name, "is given twice");
	if (str_starts(p->name, STR("expires_after")))
		return err_set(e, ERR_UNSUPPORTED_PARAMETER, "expires_after",
			       "files do not expire here; delete them instead");
	return err_set(e, ERR_UNKNOWN_PARAMETER, name, "is unknown; a form has file and purpose");
}

static enum errc on_data(void *arg, struct str bytes, struct err *e)
{
	struct upload *x = arg;

	if (x->field == FIELD_FILE) {
		x->add.file.bytes += (int64_t)bytes.n;
		if (x->add.file.bytes > x->max_file)
			return err_set(e, ERR_REQUEST_TOO_LARGE, "file",
				       "the file is over the limit of %lld bytes",
				       (long long)x->max_file);
		return blob_add(x->blob, bytes, e);
	}
	if (bytes.n > PURPOSE_MAX - x->purpose_len)
		return err_set(e, ERR_INVALID_VALUE, "purpose", FILE_PURPOSES);
	memcpy(x->purpose + x->purpose_len, bytes.p, bytes.n);
	x->purpose_len += bytes.n;
	return ERR_OK;
}

static enum errc on_end(void *arg, struct err *e)
{
	struct upload *x = arg;

	if (x->field == FIELD_PURPOSE &&
	    !file_purpose_ok((struct str){ x->purpose, x->purpose_len }))
		return err_set(e, ERR_INVALID_VALUE, "purpose", FILE_PURPOSES);
	x->field = FIELD_NONE;
	return ERR_OK;
}

static const struct multipart_sink form_sink = { on_part, on_data, on_end };

static enum errc place(struct upload *x, struct err *e)
{
	if (multipart_end(&x->form, e) != ERR_OK)
		return e->code;
	if (!x->has_file)
		return err_set(e, ERR_MISSING_PARAMETER, "file", "the form has no file");
	if (!x->has_purpose)
		return err_set(e, ERR_MISSING_PARAMETER, "purpose", FILE_PURPOSES);
	return blob_place(x->blob, &x->add.content, e);
}

static void work(struct work_job *job)
{
	struct upload *x = container_of(job, struct upload, job);

	if (multipart_feed(&x->form, buf_view(&x->piece), &x->err) != ERR_OK || !x->last)
		return;
	x->placed = place(x, &x->err) == ERR_OK;
}

/* --- the end --- */

static void destroy(struct upload *x)
{
	atomic_fetch_sub(&uploads, 1);
	blob_write_destroy(x->blob);
	multipart_finish(&x->form);
	buf_finish(&x->fill);
	buf_finish(&x->piece);
	buf_finish(&x->add.made.answer);
	free(x);
}

static void drop(struct work_job *job)
{
	struct upload *x = container_of(job, struct upload, job);

	blob_write_destroy(TAKE(x->blob));
}

static void dropped(struct work_job *job)
{
	destroy(container_of(job, struct upload, job));
}

/* discard: what was written is removed by a worker too, unless there is none any more. */
static void discard(struct upload *x)
{
	timer_stop(x->gateway->loop, &x->retry);
	x->request = NULL;
	x->job.run = drop;
	x->job.done = dropped;
	if (!x->blob || !work_submit(x->gateway->work, &x->job))
		destroy(x);
}

static void refuse(struct upload *x, const struct err *e)
{
	if (x->request && x->whole)
		reply_error(x->request, e);
	else if (x->request)
		upload_refuse(x->request, e);
	discard(x);
}

static bool print_file(struct store_job *job, struct buf *out)
{
	return file_print(out, &container_of(job, struct upload, add.job)->add.file);
}

static void on_added(struct store_job *job)
{
	struct upload *x = container_of(job, struct upload, add.job);
	struct buf    *body = &x->add.made.answer;
	struct err     e = job->err;

	if (e.code == ERR_OK && !x->key.key[0] && !print_file(job, body))
		err_set(&e, ERR_OVERLOADED, "", "no memory for the answer");
	if (x->request && e.code == ERR_OK && x->add.made.replayed)
		reply_header(x->request, "Idempotency-Replayed", STR("true"));
	if (x->request && e.code == ERR_OK)
		reply_json_take(x->request, 200, body);
	else if (x->request)
		reply_error(x->request, &e);
	x->request = NULL;
	discard(x);
}

/* A key stands for what the form said, however it was written: its boundary may be another one each
 * time.  The texts before the digest hold no NUL. */
static enum errc set_key(struct upload *x, struct err *e)
{
	const struct store_file *f = &x->add.file;
	unsigned char            digest[HASH_BYTES];
	struct buf               said;

	buf_init(&said, 4 * KIB);
	bool ok = buf_str(&said, f->purpose) && buf_add(&said, "", 1) && buf_str(&said, f->name) &&
		  buf_add(&said, "", 1) && buf_str(&said, f->type) && buf_add(&said, "", 1) &&
		  buf_add(&said, x->add.content.sha256, HASH_BYTES);
	if (ok)
		hash_sha256(said.data, said.len, digest);
	enum errc rc = ok ? key_name_digest(STR("POST"), STR("/v1/files"), digest, &x->key, e)
			  : err_set(e, ERR_OVERLOADED, "", "no memory for the upload");
	buf_finish(&said);
	x->add.made.key = key_name_store(&x->key);
	x->add.made.print = print_file;
	return rc;
}

static void add_row(struct upload *x)
{
	struct store *s = x->gateway->store;
	struct err    e;

	x->add.job = (struct store_job){ .loop = x->gateway->loop, .done = on_added };
	x->add.file.id = id_new();
	x->add.file.created_ms = clock_wall_ms();
	x->add.file.name = str_of(x->label);
	x->add.file.type = str_of(x->type);
	x->add.file.purpose = (struct str){ x->purpose, x->purpose_len };
	/* What was placed keeps its mark: the next start removes it. */
	if (x->key.key[0] && set_key(x, &e) != ERR_OK) {
		refuse(x, &e);
		return;
	}
	x->working = true;
	CHECK(store_file_add(s, &x->add));
}

/* --- back and forth; on the loop --- */

static void go_on(struct upload *x);

static void tried_again(struct timer *t)
{
	go_on(container_of(t, struct upload, retry));
}

static void worked(struct work_job *job)
{
	struct upload *x = container_of(job, struct upload, job);

	x->working = false;
	/* Once it is placed it gets its row, whoever still waits: only the store can remove it. */
	if (x->placed)
		add_row(x);
	else if (!x->request)
		discard(x);
	else if (x->err.code != ERR_OK)
		refuse(x, &x->err);
	else
		go_on(x);
}

static void swap(struct upload *x)
{
	struct buf fill = x->fill;

	x->fill = x->piece;
	x->piece = fill;
}

/* go_on: hands a full buffer, or the last one, to a worker; then there is room in the other one. */
static void go_on(struct upload *x)
{
	if (x->working || (!x->whole && x->fill.len < PIECE))
		return;
	buf_clear(&x->piece);
	swap(x);
	x->last = x->whole;
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
	struct upload *x = arg;
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

static void gone(void *arg)
{
	struct upload *x = arg;

	x->request = NULL;
	if (!x->working)
		discard(x);
}

static void whole(void *arg)
{
	struct upload *x = arg;

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

void file_upload_post(struct request *r, void *app)
{
	struct gateway *g = app;
	struct str      boundary;
	struct err      e;

	if (multipart_boundary(request_content_type(r), &boundary, &e) != ERR_OK) {
		upload_refuse(r, &e);
		return;
	}
	if (atomic_fetch_add(&uploads, 1) >= LIMIT_UPLOADS) {
		atomic_fetch_sub(&uploads, 1);
		refuse_head(r, ERR_OVERLOADED, "too many files are being uploaded; try again");
		return;
	}
	struct upload *x = calloc(1, sizeof *x);
	if (!x) {
		atomic_fetch_sub(&uploads, 1);
		refuse_head(r, ERR_OVERLOADED, "no memory for the upload");
		return;
	}
	x->gateway = g;
	x->request = r;
	x->max_file = g->max_file;
	x->add.owner = request_owner(r);
	x->retry.fn = tried_again;
	x->job = (struct work_job){ .loop = g->loop, .run = work, .done = worked };
	buf_init(&x->fill, PIECE);
	buf_init(&x->piece, PIECE);
	buf_init(&x->add.made.answer, 64 * KIB);
	multipart_init(&x->form, boundary, &form_sink, x);
	if (!buf_reserve(&x->fill, PIECE) || !buf_reserve(&x->piece, PIECE)) {
		refuse_head(r, ERR_OVERLOADED, "no memory for the upload");
		destroy(x);
		return;
	}
	if (request_idempotency_key(r).p && key_name_read(r, &x->key, &e) != ERR_OK) {
		upload_refuse(r, &e);
		destroy(x);
		return;
	}
	upload_open(r, &sink, x);
}
