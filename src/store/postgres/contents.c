/* Contents of files: those in the database are here, those in a bucket in objects.c. */
#include "store/postgres/contents.h"

#include "base/limits.h"
#include "base/full_io.h"
#include "store/engine.h"
#include "store/postgres/link.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	PART = 256 * KIB,
	PARTS = 4, /* parts that travel together */
};

static const char sql_begin[] = "BEGIN";
static const char sql_commit[] = "COMMIT";
/* A content that is there already has its bytes. */
static const char sql_claim[] =
	"INSERT INTO content (sha256, bytes, touched) VALUES ($1, -1, now()) "
	"ON CONFLICT (sha256) DO UPDATE SET touched = excluded.touched RETURNING bytes";
static const char sql_part[] = "INSERT INTO content_part (sha256, n, data) VALUES ($1, $2, $3)";
static const char sql_whole[] = "UPDATE content SET bytes = $2 WHERE sha256 = $1";
static const char sql_bytes[] = "SELECT bytes, place FROM content WHERE sha256 = $1";
static const char sql_parts[] = "SELECT data FROM content_part WHERE sha256 = $1 AND n >= $2 "
				"ORDER BY n LIMIT 4";

struct contents {
	struct lend    *lend;      /* owned */
	struct objects *objects;   /* owned; NULL: this process has no bucket */
	bool            in_bucket; /* new contents go there */
};

/* A task for one connection. */
struct contents_task {
	int                  fd;
	const unsigned char *sha256;
	char                *part; /* for a put: [PART] */
	/* for a get: */
	int64_t bytes; /* -1: there is no such content */
	int64_t place; /* 0: the file has the content; otherwise the number of its object */
};

static struct param *contents_param(struct link *l, const unsigned char *sha256)
{
	param_clear(&l->args);
	param_bytes(&l->args, (struct str){ (const char *)sha256, HASH_BYTES });
	return &l->args;
}

/* --- putting --- */

static bool contents_fail(const char *what, struct err *e)
{
	err_set(e, ERR_STORAGE, "", "the file's content can't be %s", what);
	return false;
}

/* contents_parts: sends the next parts; *ret_last: the file has ended. */
static bool contents_parts(struct link *l, const struct contents_task *t, int64_t *n,
			   int64_t *bytes, bool *ret_last, struct err *e)
{
	link_clear(l);
	*ret_last = false;
	for (int i = 0; i < PARTS && !*ret_last; i++) {
		ssize_t got = whole_read(t->fd, t->part, PART);

		if (got < 0)
			return contents_fail("stored", e);
		*ret_last = got < PART;
		*bytes += got;
		if (got == 0)
			break;
		struct param *a = contents_param(l, t->sha256);
		param_int(a, (*n)++);
		param_bytes(a, (struct str){ t->part, (size_t)got });
		link_ask(l, sql_part);
	}
	if (*ret_last) {
		param_int(contents_param(l, t->sha256), *bytes);
		link_ask(l, sql_whole);
		link_control(l, sql_commit);
	}
	return lend_await(l);
}

static bool contents_put_on(struct link *l, void *arg, struct err *e)
{
	const struct contents_task *t = arg;
	int64_t                     n = 0;
	int64_t                     bytes = 0;
	bool                        last = false;

	if (lseek(t->fd, 0, SEEK_SET) != 0)
		return contents_fail("stored", e);
	link_clear(l);
	link_control(l, sql_begin);
	(void)contents_param(l, t->sha256);
	link_ask(l, sql_claim);
	if (!lend_await(l))
		return false;
	if (cell_int(direct_row(l, 0), 0) >= 0) {
		link_clear(l);
		link_control(l, sql_commit);
		return lend_await(l);
	}
	while (!last)
		if (!contents_parts(l, t, &n, &bytes, &last, e))
			return false;
	return true;
}

/* --- getting --- */

static bool contents_get_parts(struct link *l, const struct contents_task *t, struct err *e)
{
	int64_t had = 0;
	bool    sound = true;

	for (int64_t n = 0; sound && had < t->bytes; n += PARTS) {
		link_clear(l);
		param_int(contents_param(l, t->sha256), n);
		link_ask(l, sql_parts);
		if (!lend_await(l))
			return false;
		for (int i = 0; sound && i < direct_rows(l); i++) {
			struct str part = cell_str(direct_row(l, i), 0);

			had += (int64_t)part.n;
			sound = whole_write(t->fd, part);
		}
		sound = sound && direct_rows(l) > 0;
	}
	return (sound && had == t->bytes) || contents_fail("read", e);
}

static bool contents_get_on(struct link *l, void *arg, struct err *e)
{
	struct contents_task *t = arg;

	if (ftruncate(t->fd, 0) != 0 || lseek(t->fd, 0, SEEK_SET) != 0)
		return contents_fail("read", e);
	link_clear(l);
	(void)contents_param(l, t->sha256);
	link_ask(l, sql_bytes);
	if (!lend_await(l))
		return false;
	t->bytes = direct_rows(l) > 0 ? cell_int(direct_row(l, 0), 0) : -1;
	t->place = direct_rows(l) > 0 ? cell_int(direct_row(l, 0), 1) : 0;
	return t->bytes < 0 || t->place != 0 || contents_get_parts(l, t, e);
}

/* --- for blobs --- */

static enum errc contents_put(void *arg, int fd, const unsigned char *sha256, struct err *e)
{
	struct contents     *c = arg;
	struct contents_task t = { .fd = fd, .sha256 = sha256 };

	if (c->in_bucket)
		return objects_put(c->objects, fd, sha256, e);
	t.part = malloc(PART);
	if (!t.part)
		return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
	enum errc rc = lend_do(c->lend, contents_put_on, &t, e);
	free(t.part);
	return rc;
}

/* contents_get_object: a failure is one of this process, if it knows no bucket. */
static enum errc contents_get_object(struct contents *c, const struct contents_task *t,
				     struct err *e)
{
	if (!c->objects)
		return err_set(e, ERR_STORAGE, "",
			       "the file's content is in a bucket, and this gateway knows none");
	return objects_get(c->objects, t->fd, t->sha256, t->place, t->bytes, e);
}

static enum errc contents_get(void *arg, int fd, const unsigned char *sha256, struct err *e)
{
	struct contents     *c = arg;
	struct contents_task t = { .fd = fd, .sha256 = sha256 };
	int64_t              failed = 0;

	/* A content that was deleted meanwhile, and uploaded once more, has another object. */
	for (;;) {
		struct err why = *e;

		if (lend_do(c->lend, contents_get_on, &t, e) != ERR_OK)
			return e->code;
		if (t.bytes < 0) {
			contents_fail("read", e);
			return err_blame(e, FAULT_MISSING);
		}
		if (t.place == 0)
			return ERR_OK;
		if (t.place == failed) {
			*e = why;
			return e->code;
		}
		failed = t.place;
		if (contents_get_object(c, &t, e) == ERR_OK)
			return ERR_OK;
	}
}

enum errc contents_open(const struct link_target *target, const struct store_options *o,
			bool serves, struct contents **ret, struct blobs **ret_blobs, struct err *e)
{
	struct contents *c = calloc(1, sizeof *c);
	struct blob_keep keep = { contents_put, contents_get, c };

	if (!c)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	c->in_bucket = o->bucket && o->bucket_write;
	c->lend = lend_create(target);
	if (!c->lend)
		err_set(e, ERR_STORAGE, "", "out of memory");
	else if (blobs_open_kept(&keep, ret_blobs, e) == ERR_OK &&
		 (!o->bucket ||
		  objects_create(o->bucket, c->lend, serves, &c->objects, e) == ERR_OK)) {
		*ret = c;
		return ERR_OK;
	}
	contents_close(c);
	return e->code;
}

void contents_close(struct contents *c)
{
	if (!c)
		return;
	objects_destroy(c->objects);
	lend_destroy(c->lend);
	free(c);
}
