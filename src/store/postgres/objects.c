/* Contents in a bucket, and the thread that removes what nobody has. */
#include "store/postgres/contents.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/common/thread.h"
#include "store/postgres/link.h"
#include "upstream/bucket.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	SWEEP = 8, /* objects that one look takes on */
	LOOK_MS = 1000,
	PAUSE_MS = 2 * 1000, /* after a failure */
	NAME = HASH_HEX + 1 + 16 + 1,
};

/* Between two lines about one failure. */
static const int64_t told_again_us = 3600 * 1000 * INT64_C(1000);

/* A content that is there is kept for an hour more, so that its file can be added. */
static const char sql_announce[] =
	"WITH here AS (UPDATE content SET touched = now() WHERE sha256 = $1 AND bytes >= 0 RETURNING 1) "
	"INSERT INTO content_object (number, sha256, gone, after) SELECT $2, $1, 0, "
	"now() + interval '1 hour' WHERE NOT EXISTS (SELECT 1 FROM here) "
	"ON CONFLICT (number) DO UPDATE SET after = excluded.after RETURNING number";
/* The next four are one transaction. */
static const char sql_settle[] =
	"INSERT INTO content (sha256, bytes, touched, place) SELECT sha256, $2, now(), number "
	"FROM content_object WHERE number = $1 AND gone = 0 FOR UPDATE "
	"ON CONFLICT (sha256) DO UPDATE SET touched = excluded.touched";
static const char sql_settled[] =
	"DELETE FROM content_object o USING content c WHERE o.number = $1 "
	"AND c.sha256 = o.sha256 AND c.place = o.number";
/* The row may have gone with an object that was not there yet.  Another time in the row says to a removal
 * under way that the object has come since. */
static const char sql_surplus[] =
	"INSERT INTO content_object (number, sha256, gone, after) SELECT $1, $2, 1, now() "
	"WHERE NOT EXISTS (SELECT 1 FROM content WHERE sha256 = $2 AND place = $1) "
	"ON CONFLICT (number) DO UPDATE SET gone = 1, after = excluded.after";
static const char sql_there[] = "SELECT bytes FROM content WHERE sha256 = $1 AND bytes >= 0";

/* The minute passes before another gateway tries the same, if this one does not succeed. */
static const char sql_claim[] =
	"UPDATE content_object SET gone = 1, after = now() + interval '1 minute' WHERE number IN "
	"(SELECT number FROM content_object WHERE after < now() ORDER BY after LIMIT $1 "
	"FOR UPDATE SKIP LOCKED) RETURNING number, sha256, (extract(epoch FROM after) * 1000000)::bigint";
static const char sql_forget[] = "DELETE FROM content_object WHERE number = $1 "
				 "AND (extract(epoch FROM after) * 1000000)::bigint = $2";

struct objects {
	struct bucket  *bucket; /* borrowed */
	struct lend    *lend;   /* borrowed */
	bool            sweeping;
	pthread_t       thread;
	pthread_mutex_t lock;
	pthread_cond_t  wake;
	bool            stop;
	/* The thread's own: what was said last, and when. */
	char    told[sizeof((struct err *)0)->text];
	int64_t told_us;
};

static void object_name(const unsigned char *sha256, int64_t number, char ret[NAME])
{
	hash_hex(sha256, HASH_BYTES, ret);
	snprintf(ret + HASH_HEX, NAME - HASH_HEX, "-%016llx", (unsigned long long)number);
}

/* --- putting --- */

struct object_put {
	const unsigned char *sha256;
	int64_t              number;
	int64_t              bytes;
	bool                 there; /* the content has a row */
};

static struct str object_sum(const unsigned char *sha256)
{
	return (struct str){ (const char *)sha256, HASH_BYTES };
}

static bool objects_announce_on(struct link *l, void *arg, struct err *e)
{
	struct object_put *p = arg;

	(void)e;
	link_clear(l);
	param_clear(&l->args);
	param_bytes(&l->args, object_sum(p->sha256));
	param_int(&l->args, p->number);
	link_ask(l, sql_announce);
	if (!lend_await(l))
		return false;
	p->there = direct_rows(l) == 0;
	return true;
}

static void objects_ask(struct link *l, const char *sql, int64_t number)
{
	param_clear(&l->args);
	param_int(&l->args, number);
	link_ask(l, sql);
}

/* A second call, after a commit whose answer was lost, finds the content as well. */
static bool objects_settle_on(struct link *l, void *arg, struct err *e)
{
	struct object_put *p = arg;

	(void)e;
	link_clear(l);
	param_clear(&l->args);
	param_int(&l->args, p->number);
	param_int(&l->args, p->bytes);
	link_ask(l, sql_settle);
	objects_ask(l, sql_settled, p->number);
	param_clear(&l->args);
	param_int(&l->args, p->number);
	param_bytes(&l->args, object_sum(p->sha256));
	link_ask(l, sql_surplus);
	param_clear(&l->args);
	param_bytes(&l->args, object_sum(p->sha256));
	link_ask(l, sql_there);
	if (!lend_await(l))
		return false;
	p->there = pq.PQntuples(l->results[l->result_count - 1]) > 0;
	return true;
}

enum errc objects_put(struct objects *o, int fd, const unsigned char sha256[HASH_BYTES],
		      struct err *e)
{
	struct object_put p = { .sha256 = sha256, .number = (int64_t)(id_random() >> 1 | 1) };
	struct stat       st;
	char              name[NAME];

	if (fstat(fd, &st) != 0)
		return err_set(e, ERR_STORAGE, "", "the file's content can't be stored");
	p.bytes = st.st_size;
	if (p.bytes > LIMIT_BUCKET_OBJECT)
		return err_set(e, ERR_REQUEST_TOO_LARGE, "file",
			       "a bucket takes files of up to 5 GiB");
	if (lend_do(o->lend, objects_announce_on, &p, e) != ERR_OK || p.there)
		return e->code;
	object_name(sha256, p.number, name);
	if (bucket_put(o->bucket, name, sha256, fd, p.bytes, e) != ERR_OK ||
	    lend_do(o->lend, objects_settle_on, &p, e) != ERR_OK)
		return e->code;
	return p.there ? ERR_OK
		       : err_set(e, ERR_STORAGE, "",
				 "the file's content was stored too late; send the file again");
}

enum errc objects_get(struct objects *o, int fd, const unsigned char sha256[HASH_BYTES],
		      int64_t number, int64_t bytes, struct err *e)
{
	char name[NAME];

	object_name(sha256, number, name);
	return bucket_get(o->bucket, name, sha256, fd, bytes, e);
}

/* --- removing --- */

/* An object that this process may remove. */
struct object_claim {
	int64_t       number;
	int64_t       after_us; /* the row's time, which changes with each claim */
	unsigned char sha256[HASH_BYTES];
};

struct object_sweep {
	int                 count;
	struct object_claim found[SWEEP];
};

static bool objects_claim_on(struct link *l, void *arg, struct err *e)
{
	struct object_sweep *s = arg;

	(void)e;
	link_clear(l);
	objects_ask(l, sql_claim, SWEEP);
	if (!lend_await(l))
		return false;
	s->count = 0;
	for (int i = 0; i < direct_rows(l) && i < SWEEP; i++) {
		struct str sum = cell_str(direct_row(l, i), 1);

		if (sum.n != HASH_BYTES)
			continue;
		struct object_claim *c = &s->found[s->count++];
		c->number = cell_int(direct_row(l, i), 0);
		c->after_us = cell_int(direct_row(l, i), 2);
		memcpy(c->sha256, sum.p, HASH_BYTES);
	}
	return true;
}

static bool objects_forget_on(struct link *l, void *arg, struct err *e)
{
	const struct object_claim *c = arg;

	(void)e;
	link_clear(l);
	param_clear(&l->args);
	param_int(&l->args, c->number);
	param_int(&l->args, c->after_us);
	link_ask(l, sql_forget);
	return lend_await(l);
}

/* objects_rest: false: the thread ends. */
static bool objects_rest(struct objects *o, int64_t ms)
{
	pthread_mutex_lock(&o->lock);
	if (!o->stop && ms > 0)
		thread_wait_ms(&o->wake, &o->lock, ms);
	bool goes_on = !o->stop;
	pthread_mutex_unlock(&o->lock);
	return goes_on;
}

static enum errc objects_remove(struct objects *o, struct object_claim *c, struct err *e)
{
	char name[NAME];

	object_name(c->sha256, c->number, name);
	if (bucket_remove(o->bucket, name, e) != ERR_OK)
		return e->code;
	return lend_do(o->lend, objects_forget_on, c, e);
}

/* objects_sweep: e is the first failure, which stops no other removal.  *ret_more: there may be further
 * ones. */
static enum errc objects_sweep(struct objects *o, bool *ret_more, struct err *e)
{
	struct object_sweep s;
	struct err          why;

	if (lend_do(o->lend, objects_claim_on, &s, e) != ERR_OK)
		return e->code;
	*ret_more = s.count == SWEEP;
	for (int i = 0; i < s.count && objects_rest(o, 0); i++)
		if (objects_remove(o, &s.found[i], &why) != ERR_OK && e->code == ERR_OK)
			*e = why;
	return e->code;
}

/* objects_tell: one failure comes again each minute; its line does not. */
static void objects_tell(struct objects *o, const struct err *e)
{
	int64_t now_us = clock_mono_us();

	if (!objects_rest(o, 0) ||
	    (strcmp(o->told, e->text) == 0 && now_us - o->told_us < told_again_us))
		return;
	str_copy(o->told, sizeof o->told, str_of(e->text));
	o->told_us = now_us;
	log_note(LOG_WARN, "bucket", "contents that no file has can't be removed yet: %s", e->text);
}

static void *objects_run(void *arg)
{
	struct objects *o = arg;
	int64_t         rest_ms = 0;

	while (objects_rest(o, rest_ms)) {
		struct err e = { .code = ERR_OK };
		bool       more = false;
		bool       fails = objects_sweep(o, &more, &e) != ERR_OK;

		if (fails)
			objects_tell(o, &e);
		rest_ms = fails ? PAUSE_MS : more ? 0 : LOOK_MS;
	}
	return NULL;
}

enum errc objects_create(struct bucket *bucket, struct lend *lend, bool sweep, struct objects **ret,
			 struct err *e)
{
	struct objects *o = calloc(1, sizeof *o);

	if (!o)
		return err_no_memory(e);
	o->bucket = bucket;
	o->lend = lend;
	pthread_mutex_init(&o->lock, NULL);
	thread_cond_init(&o->wake);
	o->sweeping = sweep && thread_start(&o->thread, "objects", objects_run, o, e) == ERR_OK;
	if (sweep && !o->sweeping) {
		objects_destroy(o);
		return e->code;
	}
	*ret = o;
	return ERR_OK;
}

void objects_destroy(struct objects *o)
{
	if (!o)
		return;
	bucket_stop(o->bucket);
	pthread_mutex_lock(&o->lock);
	o->stop = true;
	pthread_cond_signal(&o->wake);
	pthread_mutex_unlock(&o->lock);
	if (o->sweeping)
		pthread_join(o->thread, NULL);
	pthread_cond_destroy(&o->wake);
	pthread_mutex_destroy(&o->lock);
	free(o);
}
