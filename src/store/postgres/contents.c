/* Contents of files in the database. */
#include "store/postgres/contents.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/postgres/direct.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PART = 256 * KIB,
	PARTS = 4, /* that travel together */
	ASK_US = 60 * 1000 * 1000,
	LOCK_MS = 8000, /* so long the same content is waited for that another upload writes */
};

static const char sql_begin[] = "BEGIN";
static const char sql_commit[] = "COMMIT";
/* A content that is there already has its bytes. */
static const char sql_claim[] =
	"INSERT INTO content (sha256, bytes, touched) VALUES ($1, -1, now()) "
	"ON CONFLICT (sha256) DO UPDATE SET touched = excluded.touched RETURNING bytes";
static const char sql_part[] = "INSERT INTO content_part (sha256, n, data) VALUES ($1, $2, $3)";
static const char sql_whole[] = "UPDATE content SET bytes = $2 WHERE sha256 = $1";
static const char sql_bytes[] = "SELECT bytes FROM content WHERE sha256 = $1";
static const char sql_parts[] = "SELECT data FROM content_part WHERE sha256 = $1 AND n >= $2 "
				"ORDER BY n LIMIT 4";

struct contents {
	const struct link_target *target; /* borrowed */
	pthread_mutex_t           lock;
	struct link              *idle; /* owned; NULL: none */
};

/* --- connections --- */

static void contents_drop(struct link *l)
{
	if (l)
		link_finish(l);
	free(l);
}

static struct link *contents_take(struct contents *c)
{
	pthread_mutex_lock(&c->lock);
	struct link *l = TAKE(c->idle);
	pthread_mutex_unlock(&c->lock);
	return l;
}

static void contents_give(struct contents *c, struct link *l)
{
	link_clear(l);
	pthread_mutex_lock(&c->lock);
	if (!c->idle)
		c->idle = TAKE(l);
	pthread_mutex_unlock(&c->lock);
	contents_drop(l);
}

static bool contents_await(struct link *l)
{
	link_send(l, clock_mono_us(), ASK_US);
	return link_await(l);
}

static struct param *contents_param(struct link *l, const unsigned char *sha256)
{
	param_clear(&l->args);
	param_bytes(&l->args, (struct str){ (const char *)sha256, HASH_BYTES });
	return &l->args;
}

/* --- putting --- */

/* contents_fill: reads until the part is full or the file ends; -1: the disk refused it. */
static ssize_t contents_fill(int fd, char part[PART])
{
	size_t n = 0;

	while (n < PART) {
		ssize_t got = read(fd, part + n, PART - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -1 : (ssize_t)n;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* contents_parts: sends the next parts; *ret_last: the file has ended.  False: the link's fault, or the
 * file's (*ret_read false). */
static bool contents_parts(struct link *l, int fd, const unsigned char *sha256, int64_t *n,
			   int64_t *bytes, char part[PART], bool *ret_last, bool *ret_read)
{
	link_clear(l);
	*ret_last = false;
	for (int i = 0; i < PARTS && !*ret_last; i++) {
		ssize_t got = contents_fill(fd, part);

		*ret_read = got >= 0;
		if (got < 0)
			return false;
		*ret_last = got < PART;
		*bytes += got;
		if (got == 0)
			break;
		struct param *a = contents_param(l, sha256);
		param_int(a, (*n)++);
		param_bytes(a, (struct str){ part, (size_t)got });
		link_ask(l, sql_part);
	}
	if (*ret_last) {
		param_int(contents_param(l, sha256), *bytes);
		link_ask(l, sql_whole);
		link_control(l, sql_commit);
	}
	return contents_await(l);
}

/* contents_put_on: false: the link's fault, or the file's (*ret_read false). */
static bool contents_put_on(struct link *l, int fd, const unsigned char *sha256, char part[PART],
			    bool *ret_read)
{
	int64_t n = 0;
	int64_t bytes = 0;
	bool    last = false;

	*ret_read = lseek(fd, 0, SEEK_SET) == 0;
	if (!*ret_read)
		return false;
	link_clear(l);
	link_control(l, sql_begin);
	(void)contents_param(l, sha256);
	link_ask(l, sql_claim);
	if (!contents_await(l))
		return false;
	if (cell_int(direct_row(l, 0), 0) >= 0) {
		link_clear(l);
		link_control(l, sql_commit);
		return contents_await(l);
	}
	while (!last)
		if (!contents_parts(l, fd, sha256, &n, &bytes, part, &last, ret_read))
			return false;
	return true;
}

/* --- getting --- */

static bool contents_write(int fd, struct str s)
{
	while (s.n > 0) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s.p += n;
		s.n -= (size_t)n;
	}
	return true;
}

/* contents_get_on: false: the link's fault, or the file's (*ret_sound false), or the content is not whole. */
static bool contents_get_on(struct link *l, int fd, const unsigned char *sha256, bool *ret_sound)
{
	int64_t bytes = -1;
	int64_t had = 0;

	*ret_sound = ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0;
	if (!*ret_sound)
		return false;
	link_clear(l);
	(void)contents_param(l, sha256);
	link_ask(l, sql_bytes);
	if (!contents_await(l))
		return false;
	if (direct_rows(l) > 0)
		bytes = cell_int(direct_row(l, 0), 0);
	for (int64_t n = 0; had < bytes; n += PARTS) {
		link_clear(l);
		param_int(contents_param(l, sha256), n);
		link_ask(l, sql_parts);
		if (!contents_await(l))
			return false;
		for (int i = 0; i < direct_rows(l); i++) {
			struct str part = cell_str(direct_row(l, i), 0);

			had += (int64_t)part.n;
			*ret_sound = *ret_sound && contents_write(fd, part);
		}
		if (!*ret_sound || direct_rows(l) == 0)
			break;
	}
	*ret_sound = *ret_sound && had == bytes;
	return *ret_sound;
}

/* --- for blobs --- */

static enum errc contents_fail(const struct link *l, bool sound, const char *what, struct err *e)
{
	if (sound)
		fault_refuse(&l->fault, e);
	else
		err_set(e, ERR_STORAGE, "", "the file's content can't be %s", what);
	return e->code;
}

/* contents_do: with part: puts; else gets.  A kept connection may have been lost long ago, and a content that
 * was put twice is there once. */
static enum errc contents_do(struct contents *c, int fd, const unsigned char *sha256, char *part,
			     struct err *e)
{
	struct link *l = contents_take(c);

	for (int tries = 0; tries < 2; tries++) {
		bool sound = true;
		bool done = false;

		if (!l) {
			l = calloc(1, sizeof *l);
			if (!l)
				return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
			if (direct_connect(l, c->target, LOCK_MS, e) != ERR_OK) {
				contents_fail(l, true, "", e);
				contents_drop(l);
				return e->code;
			}
			tries = 1;
		}
		done = part ? contents_put_on(l, fd, sha256, part, &sound)
			    : contents_get_on(l, fd, sha256, &sound);
		if (done) {
			contents_give(c, l);
			return ERR_OK;
		}
		contents_fail(l, sound, part ? "stored" : "read", e);
		contents_drop(TAKE(l));
		if (!sound)
			break;
	}
	return e->code;
}

static enum errc contents_put(void *arg, int fd, const unsigned char *sha256, struct err *e)
{
	char *part = malloc(PART);

	if (!part)
		return err_set(e, ERR_OVERLOADED, "", "no memory for a file");
	enum errc rc = contents_do(arg, fd, sha256, part, e);
	free(part);
	return rc;
}

static enum errc contents_get(void *arg, int fd, const unsigned char *sha256, struct err *e)
{
	return contents_do(arg, fd, sha256, NULL, e);
}

enum errc contents_open(const struct link_target *target, struct contents **ret,
			struct blobs **ret_blobs, struct err *e)
{
	struct contents *c = calloc(1, sizeof *c);
	struct blob_keep keep = { contents_put, contents_get, c };

	if (!c)
		return err_set(e, ERR_STORAGE, "", "out of memory");
	c->target = target;
	pthread_mutex_init(&c->lock, NULL);
	if (blobs_open_kept(&keep, ret_blobs, e) != ERR_OK) {
		contents_close(c);
		return e->code;
	}
	*ret = c;
	return ERR_OK;
}

void contents_close(struct contents *c)
{
	if (!c)
		return;
	contents_drop(c->idle);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
