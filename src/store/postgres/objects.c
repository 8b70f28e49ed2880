/* Contents in a bucket, and the thread that removes what nobody has. */
#include "store/postgres/objects.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/postgres/direct.h"
#include "upstream/bucket.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	SWEEP = 8, /* objects that one look takes on */
	LOOK_MS = 1000,
	PAUSE_MS = 2 * 1000, /* after a failure */
	NAME = HASH_HEX + 1 + 16 + 1,
};

/* A content that is there is kept for an hour more, so that its file can be added. */
static const char sql_announce[] =
	"WITH here AS (UPDATE content SET touched = now() WHERE sha256 = $1 AND bytes >= 0 RETURNING 1) "
	"INSERT INTO content_object (number, sha256, gone, after) SELECT $2, $1, 0, "
	"now() + interval '1 hour' WHERE NOT EXISTS (SELECT 1 FROM here) "
	"ON CONFLICT (number) DO UPDATE SET after = excluded.after RETURNING number";
/* These four are one transaction. */
static const char sql_settle[] =
	"INSERT INTO content (sha256, bytes, touched, place) SELECT sha256, $2, now(), number "
	"FROM content_object WHERE number = $1 AND gone = 0 FOR UPDATE "
	"ON CONFLICT (sha256) DO UPDATE SET touched = excluded.touched";
static const char sql_settled[] =
	"DELETE FROM content_object o USING content c WHERE o.number = $1 "
	"AND c.sha256 = o.sha256 AND c.place = o.number";
static const char sql_surplus[] =
	"UPDATE content_object SET gone = 1, after = now() WHERE number = $1";
static const char sql_there[] = "SELECT bytes FROM content WHERE sha256 = $1 AND bytes >= 0";

/* The minute passes before another gateway tries the same, if this one does not succeed. */
static const char sql_claim[] =
	"UPDATE content_object SET gone = 1, after = now() + interval '1 minute' WHERE number IN "
	"(SELECT number FROM content_object WHERE after < now() ORDER BY after LIMIT $1 "
	"FOR UPDATE SKIP LOCKED) RETURNING number, sha256";
static const char sql_forget[] = "DELETE FROM content_object WHERE number = $1";

struct objects {
	struct bucket  *bucket; /* borrowed */
	struct lend    *lend;   /* borrowed */
	bool            sweeping;
	pthread_t       thread;
	pthread_mutex_t lock;
	pthread_cond_t  wake;
	bool            stop;
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
	objects_ask(l, sql_surplus, p->number);
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

struct object_sweep {
	int count;
	struct {
		int64_t       number;
		unsigned char sha256[HASH_BYTES];
	} found[SWEEP];
	int64_t forget;
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
		s->found[s->count].number = cell_int(direct_row(l, i), 0);
		memcpy(s->found[s->count++].sha256, sum.p, HASH_BYTES);
	}
	return true;
}

static bool objects_forget_on(struct link *l, void *arg, struct err *e)
{
	const struct object_sweep *s = arg;

	(void)e;
	link_clear(l);
	objects_ask(l, sql_forget, s->forget);
	return lend_await(l);
}

/* objects_sweep: *ret_more: there may be further ones. */
static enum errc objects_sweep(struct objects *o, bool *ret_more, struct err *e)
{
	struct object_sweep s;
	char                name[NAME];

	if (lend_do(o->lend, objects_claim_on, &s, e) != ERR_OK)
		return e->code;
	for (int i = 0; i < s.count; i++) {
		s.forget = s.found[i].number;
		object_name(s.found[i].sha256, s.forget, name);
		if (bucket_remove(o->bucket, name, e) != ERR_OK ||
		    lend_do(o->lend, objects_forget_on, &s, e) != ERR_OK)
			return e->code;
	}
	*ret_more = s.count == SWEEP;
	return ERR_OK;
}

/* objects_rest: false: the thread ends. */
static bool objects_rest(struct objects *o, int64_t ms)
{
	struct timespec until;
	int             waited = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	pthread_mutex_lock(&o->lock);
	while (!o->stop && ms > 0 && waited == 0)
		waited = pthread_cond_timedwait(&o->wake, &o->lock, &until);
	bool goes_on = !o->stop;
	pthread_mutex_unlock(&o->lock);
	return goes_on;
}

static void *objects_run(void *arg)
{
	struct objects *o = arg;
	struct err      e = { .code = ERR_OK };
	bool            failed = false;
	int64_t         rest_ms = 0;

	while (objects_rest(o, rest_ms)) {
		bool more = false;
		bool fails = objects_sweep(o, &more, &e) != ERR_OK;

		if (fails && !failed && objects_rest(o, 0))
			log_note(LOG_WARN, "bucket",
				 "contents that no file has can't be removed yet: %s", e.text);
		failed = fails;
		rest_ms = fails ? PAUSE_MS : more ? 0 : LOOK_MS;
	}
	return NULL;
}

enum errc objects_create(struct bucket *bucket, struct lend *lend, bool sweep, struct objects **ret,
			 struct err *e)
{
	struct objects    *o = calloc(1, sizeof *o);
	pthread_condattr_t attr;

	if (!o)
		return err_no_memory(e);
	o->bucket = bucket;
	o->lend = lend;
	pthread_mutex_init(&o->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&o->wake, &attr);
	pthread_condattr_destroy(&attr);
	o->sweeping = sweep && pthread_create(&o->thread, NULL, objects_run, o) == 0;
	if (sweep && !o->sweeping) {
		objects_destroy(o);
		return err_set(e, ERR_INTERNAL, "", "no thread for the bucket could be started");
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
