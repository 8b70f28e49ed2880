/* Receives an upload. A worker parses, hashes and writes the pieces, and at the end syncs and
 * renames the file; the store writes a row. */

#include "base/clock.h"
#include "base/limits.h"
#include "http/multipart.h"
#include "http/request.h"
#include "routes/file/file.h"
#include "routes/kit/handlers.h"
#include "call/idem.h"
#include "routes/kit/pump.h"
#include "store/file.h"
#include "store/store.h"

enum { FIELD_TEXT = 32 };

/* The parts of a form after its file are short texts, one of each. */
enum field {
	FIELD_FILE,
	FIELD_PURPOSE,
	FIELD_ANCHOR,
	FIELD_SECONDS,
	FIELD__COUNT,
	FIELD_NONE = FIELD__COUNT
};

#define SECONDS_LEAST 3600
#define SECONDS_MOST  2592000

static const struct {
	const char *name;
	const char *rule; /* for its text */
} fields[FIELD__COUNT] = {
	[FIELD_FILE] = { "file", "" },
	[FIELD_PURPOSE] = { "purpose", FILE_PURPOSES },
	[FIELD_ANCHOR] = { "expires_after[anchor]", "must be created_at" },
	[FIELD_SECONDS] = { "expires_after[seconds]",
			    "must be a whole number of seconds from 3600 to 2592000" },
};

struct upload {
	struct pump        pump;
	struct multipart   form;
	enum field         field; /* the field whose content is arriving */
	struct blob_write *blob;  /* owned */
	bool               placed;
	bool               has[FIELD__COUNT];
	char               label[FILE_LABEL_MAX];
	char               type[FILE_TYPE_MAX];
	struct {
		char   p[FIELD_TEXT + 1];
		size_t n;
	} texts[FIELD__COUNT];
	int64_t                 keep_s; /* 0: for ever */
	int64_t                 max_file;
	const struct file_form *kind;
	struct file_add         add;
	struct answer_label     key; /* if add.made is to have one; key[0] 0: none */
};

static atomic_int uploads; /* running ones of all loops */

/* --- the form; on a worker --- */

static enum errc on_file(struct upload *x, const struct multipart_part *p, struct err *e)
{
	if (x->has[FIELD_FILE])
		return err_set(e, ERR_INVALID_VALUE, "file",
			       "only one file can be uploaded at once");
	if (!p->is_file)
		return err_set(e, ERR_INVALID_VALUE, "file",
			       "must be sent as a file: its part needs a filename");
	x->has[FIELD_FILE] = true;
	x->field = FIELD_FILE;
	file_label(p->filename, x->label);
	file_type(p->content_type, x->type);
	return blob_begin(x->pump.gateway->store->blobs, &x->blob, e);
}

static enum errc on_part(void *arg, const struct multipart_part *p, struct err *e)
{
	struct upload *x = arg;
	char           name[MULTIPART_NAME + 1];
	enum field     field = FIELD_PURPOSE;

	if (str_is(p->name, "file"))
		return on_file(x, p, e);
	while (field < FIELD__COUNT && !str_is(p->name, fields[field].name))
		field++;
	str_copy(name, sizeof name, p->name);
	if (field == FIELD__COUNT)
		return err_set(e, ERR_UNKNOWN_PARAMETER, name,
			       "is unknown; a form has file, purpose and expires_after");
	if (x->has[field])
		return err_set(e, ERR_INVALID_VALUE, name, "is given twice");
	x->has[field] = true;
	x->field = field;
	return ERR_OK;
}

static enum errc field_wrong(const struct upload *x, struct err *e)
{
	enum field field = x->field == FIELD_NONE ? FIELD_PURPOSE : x->field;

	return err_set(e, ERR_INVALID_VALUE, fields[field].name, "%s", fields[field].rule);
}

static struct str field_text(const struct upload *x, enum field field)
{
	return (struct str){ x->texts[field].p, x->texts[field].n };
}

/* field_seconds: reads a number; false: it is none, or out of its bounds. */
static bool field_seconds(struct str text, int64_t *ret)
{
	int64_t v = 0;

	if (text.n == 0 || text.n > 7)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		v = v * 10 + (text.p[i] - '0');
	}
	*ret = v;
	return v >= SECONDS_LEAST && v <= SECONDS_MOST;
}

static enum errc upload_on_data(void *arg, struct str bytes, struct err *e)
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
	if (x->field == FIELD_NONE || bytes.n > FIELD_TEXT - x->texts[x->field].n)
		return field_wrong(x, e);
	memcpy(x->texts[x->field].p + x->texts[x->field].n, bytes.p, bytes.n);
	x->texts[x->field].n += bytes.n;
	return ERR_OK;
}

static enum errc on_end(void *arg, struct err *e)
{
	struct upload *x = arg;

	bool ok = true;

	switch (x->field) {
	case FIELD_PURPOSE: ok = file_purpose_ok(field_text(x, FIELD_PURPOSE)); break;
	case FIELD_ANCHOR: ok = str_is(field_text(x, FIELD_ANCHOR), "created_at"); break;
	case FIELD_SECONDS: ok = field_seconds(field_text(x, FIELD_SECONDS), &x->keep_s); break;
	case FIELD_FILE:
	case FIELD__COUNT: break;
	}
	if (!ok)
		return field_wrong(x, e);
	x->field = FIELD_NONE;
	return ERR_OK;
}

static const struct multipart_sink form_sink = { on_part, upload_on_data, on_end };

static enum errc upload_place(struct upload *x, struct err *e)
{
	if (multipart_end(&x->form, e) != ERR_OK)
		return e->code;
	if (!x->has[FIELD_FILE])
		return err_set(e, ERR_MISSING_PARAMETER, "file", "the form has no file");
	if (!x->has[FIELD_PURPOSE] && x->kind->purpose) {
		x->texts[FIELD_PURPOSE].n = strlen(x->kind->purpose);
		memcpy(x->texts[FIELD_PURPOSE].p, x->kind->purpose, x->texts[FIELD_PURPOSE].n);
	} else if (!x->has[FIELD_PURPOSE])
		return err_set(e, ERR_MISSING_PARAMETER, "purpose", FILE_PURPOSES);
	for (enum field i = FIELD_ANCHOR; i <= FIELD_SECONDS; i++)
		if (!x->has[i] && x->has[FIELD_ANCHOR] + x->has[FIELD_SECONDS] > 0)
			return err_set(e, ERR_MISSING_PARAMETER, fields[i].name, "%s",
				       fields[i].rule);
	return blob_place(x->blob, &x->add.content, e);
}

static void upload_work(struct pump *p)
{
	struct upload *x = container_of(p, struct upload, pump);

	if (multipart_feed(&x->form, buf_view(&p->piece), &p->err) == ERR_OK && p->last)
		x->placed = upload_place(x, &p->err) == ERR_OK;
}

static bool upload_holds(const struct pump *p)
{
	return container_of(p, const struct upload, pump)->blob;
}

static void upload_drop(struct pump *p)
{
	blob_write_destroy(TAKE(container_of(p, struct upload, pump)->blob));
}

/* --- the end --- */

static void upload_finish(struct pump *p)
{
	struct upload *x = container_of(p, struct upload, pump);

	blob_write_destroy(x->blob);
	multipart_finish(&x->form);
	buf_finish(&x->add.made.answer);
}

static bool upload_print_file(struct store_job *job, struct buf *out)
{
	const struct upload *x = container_of(job, struct upload, add.job);

	return x->kind->print(out, &x->add.file);
}

static void on_added(struct store_job *job)
{
	struct upload *x = container_of(job, struct upload, add.job);

	pump_answer(&x->pump, job, &x->add.made, upload_print_file);
}

/* An idempotency key stands for the values of the form, because the boundary may differ each time.
 * The texts before the digest have no NUL. */
static enum errc upload_set_key(struct upload *x, struct err *e)
{
	const struct store_file *f = &x->add.file;
	unsigned char            digest[HASH_BYTES];
	struct buf               said;

	buf_init(&said, 4 * KIB);
	bool ok = buf_str(&said, f->purpose) && buf_add(&said, "", 1) && buf_str(&said, f->name) &&
		  buf_add(&said, "", 1) && buf_str(&said, f->type) && buf_add(&said, "", 1) &&
		  buf_add(&said, x->add.content.sha256, HASH_BYTES) &&
		  (x->keep_s == 0 || buf_fmt(&said, "%lld", (long long)x->keep_s));
	if (ok)
		hash_sha256(said.data, said.len, digest);
	enum errc rc = ok ? idem_bind(STR("POST"), str_of(x->kind->path), digest, &x->key, e)
			  : err_no_memory(e);
	buf_finish(&said);
	x->add.made.key = answer_label_name(&x->key);
	x->add.made.print = upload_print_file;
	return rc;
}

static void upload_add_row(struct upload *x)
{
	struct gateway *g = x->pump.gateway;
	struct err      e;

	x->add.job = (struct store_job){ .loop = g->loop, .done = on_added };
	x->add.file.id = id_new();
	x->add.file.created_ms = clock_wall_ms();
	x->add.file.name = str_of(x->label);
	x->add.file.type = str_of(x->type);
	x->add.file.purpose = field_text(x, FIELD_PURPOSE);
	if (x->keep_s > 0)
		x->add.file.expires_ms = x->add.file.created_ms + x->keep_s * 1000;
	/* A placed file keeps its mark, and the next start removes the file. */
	if (x->key.key[0] && upload_set_key(x, &e) != ERR_OK) {
		pump_refuse(&x->pump, &e);
		return;
	}
	x->pump.working = true;
	CHECK(store_file_add(g->store, &x->add));
}

/* A placed file gets its row even if the client has left, because only the store can remove the
 * file. */
static bool upload_over(struct pump *p)
{
	struct upload *x = container_of(p, struct upload, pump);

	if (x->placed)
		upload_add_row(x);
	return x->placed;
}

static const struct pump_kind upload_kind = {
	.size = sizeof(struct upload),
	.most = LIMIT_UPLOADS,
	.count = &uploads,
	.busy = "too many files are being uploaded; try again",
	.work = upload_work,
	.over = upload_over,
	.holds = upload_holds,
	.drop = upload_drop,
	.finish = upload_finish,
};

/* --- the head --- */

void file_upload_start(struct request *r, struct gateway *g, const struct file_form *form)
{
	struct str boundary;
	struct err e;

	if (multipart_boundary(request_view(r)->head.content_type, &boundary, &e) != ERR_OK) {
		upload_refuse(r, &e);
		return;
	}
	struct upload *x = pump_make(&upload_kind, r, g);
	if (!x)
		return;
	x->kind = form;
	x->field = FIELD_NONE;
	x->max_file = g->max_file;
	x->add.owner = request_owner(r);
	buf_init(&x->add.made.answer, 64 * KIB);
	multipart_init(&x->form, boundary, &form_sink, x);
	if (request_view(r)->head.idempotency_key.p &&
	    idem_parse(request_view(r)->head.idempotency_key, &x->key, &e) != ERR_OK)
		pump_refuse(&x->pump, &e);
	else
		pump_start(&x->pump);
}

static const struct file_form usual_form = { .path = "/v1/files", .print = file_print };

void file_upload_post(struct request *r, void *app)
{
	file_upload_start(r, app, &usual_form);
}
