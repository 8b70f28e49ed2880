/* The keys of an entry over time, and the calls that wait for them. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metric.h"
#include "provider/credential/over_time.h"
#include "provider/health.h"
#include "provider/secret_mask.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	EARLY_S = 5 * 60,
	SECOND_US = 1000 * 1000,
	FAILED_US = 60 * SECOND_US, /* and less at first, while there are no keys */
	LOOK_US = SECOND_US,
	SPENT_S = 1, /* a request takes a moment to get there */
};

struct credential {
	atomic_uint             refs;
	struct credential_setup setup;
	struct credential      *next; /* in the list `shared` */

	pthread_mutex_t         lock;  /* guards the members below, but not the job's own */
	struct credential_keys *keys;  /* held; NULL: none yet */
	int64_t                 due_s; /* when the keys should be renewed; 0: never */
	int64_t                 tried_us, looked_us;
	bool                    wanted; /* somebody uses the entry */
	bool                    renew;  /* the keys were refused */
	bool                    fetching;
	char                    why[240]; /* the last refresh failed; empty: it did not */
	int64_t                 again_us; /* after a failure; 0: none was yet */
	struct refresh_file     files[REFRESH_FILES]; /* paths are owned */
	size_t                  file_count;
	struct credential_wait *waits;

	/* The refresh under way; the worker's, until its end. */
	struct work_job         job;
	bool                    look_only; /* whether files have changed */
	struct credential_keys *made;
	struct err              err;
	struct refresh_file     seen[REFRESH_FILES]; /* paths are owned */
	size_t                  seen_count;
	bool                    ran;
};

static pthread_mutex_t    shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct credential *shared;

/* --- keys --- */

static void keys_wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

struct credential_keys *credential_keys_hold(struct credential_keys *k)
{
	if (k)
		atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
	return k;
}

void credential_keys_release(struct credential_keys *k)
{
	if (!k || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) > 1)
		return;
	keys_wipe(k->id);
	keys_wipe(k->secret);
	keys_wipe(k->token);
	free(k->project);
	free(k);
}

static bool keys_copy(const char *from, char **to)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

/* credential_keys_make: NULL: no memory. */
static struct credential_keys *credential_keys_make(const struct refresh *r)
{
	struct credential_keys *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	atomic_init(&k->refs, 1);
	k->expires_s = r->expires_s;
	snprintf(k->source, sizeof k->source, "%s%s%.70s", r->source, r->via ? ", " : "",
		 r->via ? r->via : "");
	if (keys_copy(r->id, &k->id) && keys_copy(r->secret, &k->secret) &&
	    keys_copy(r->token, &k->token) && keys_copy(r->project, &k->project))
		return k;
	credential_keys_release(k);
	return NULL;
}

/* keys_printable: header lines are made of them. */
static bool keys_printable(const struct refresh *r)
{
	const char *const texts[] = { r->id, r->token, r->project };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		for (const char *p = texts[i] ? texts[i] : ""; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 0x7f)
				return false;
	return true;
}

/* --- the object --- */

static void files_drop(struct refresh_file *files, size_t *n)
{
	while (*n > 0) {
		*n -= 1;
		free((char *)(uintptr_t)files[*n].path);
	}
}

static void credential_free(struct credential *c)
{
	mask_live_drop(c);
	credential_keys_release(c->keys);
	credential_keys_release(c->made);
	files_drop(c->files, &c->file_count);
	files_drop(c->seen, &c->seen_count);
	setup_finish(&c->setup);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* share_or: c itself, or the one that has the same settings, held. */
static struct credential *share_or(struct credential *c)
{
	struct credential *x;

	pthread_mutex_lock(&shared_lock);
	for (x = shared; x; x = x->next)
		if (memcmp(x->setup.print, c->setup.print, HASH_BYTES) == 0)
			break;
	if (x) {
		atomic_fetch_add(&x->refs, 1);
	} else {
		c->next = shared;
		shared = c;
	}
	pthread_mutex_unlock(&shared_lock);
	return x ? x : c;
}

enum errc credential_create(const struct credential_options *o, struct credential **ret,
			    struct err *e)
{
	struct credential *c = calloc(1, sizeof *c);

	if (!c)
		return err_no_memory(e);
	atomic_init(&c->refs, 1);
	pthread_mutex_init(&c->lock, NULL);
	enum errc rc = setup_make(o, &c->setup, e);
	if (rc != ERR_OK) {
		credential_free(c);
		return rc;
	}
	*ret = share_or(c);
	if (*ret != c)
		credential_free(c);
	return ERR_OK;
}

enum errc credential_check(const struct credential_options *o, struct err *e)
{
	struct credential_setup s;
	enum errc               rc = setup_check(o, &s, e);

	setup_finish(&s);
	return rc;
}

struct credential *credential_hold(struct credential *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
	return c;
}

/* The lock: nobody finds one in the list whose last reference goes. */
void credential_release(struct credential *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&shared_lock);
	bool last = atomic_fetch_sub(&c->refs, 1) == 1;
	for (struct credential **at = &shared; last && *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	pthread_mutex_unlock(&shared_lock);
	if (last)
		credential_free(c);
}

const struct credential_setup *credential_setup_of(const struct credential *c)
{
	return &c->setup;
}

/* --- of a call --- */

static bool end_is_ahead(int64_t expires_s)
{
	return expires_s == 0 || clock_wall_ms() / 1000 + SPENT_S < expires_s;
}

static bool keys_are_good(const struct credential_keys *k)
{
	return k && end_is_ahead(k->expires_s);
}

struct credential_keys *credential_now(struct credential *c, const struct credential_keys *old)
{
	struct credential_keys *ret = NULL;

	pthread_mutex_lock(&c->lock);
	if (c->keys != old && keys_are_good(c->keys))
		ret = credential_keys_hold(c->keys);
	pthread_mutex_unlock(&c->lock);
	return ret;
}

void credential_renew(struct credential *c, const struct credential_keys *keys)
{
	pthread_mutex_lock(&c->lock);
	c->renew = c->renew || c->keys == keys;
	pthread_mutex_unlock(&c->lock);
}

/* failed_lately: a failure is remembered, so that not each call waits for the next one. */
static bool failed_lately(const struct credential *c, int64_t now_us)
{
	return c->why[0] && now_us - c->tried_us < c->again_us;
}

/* failed_again: the wait after a failure. */
static int64_t failed_again(const struct credential *c)
{
	if (keys_are_good(c->keys) || c->again_us >= FAILED_US / 2)
		return FAILED_US;
	return c->again_us > 0 ? 2 * c->again_us : SECOND_US;
}

enum errc credential_fail(struct err *e)
{
	return err_set(e, ERR_UPSTREAM_AUTH, NULL,
		       "the provider can't be asked: the gateway has no credentials for it");
}

static void credential_on_woken(struct task *t)
{
	struct credential_wait *w = container_of(t, struct credential_wait, task);

	w->fn(w);
}

enum errc credential_wait(struct credential *c, struct credential_wait *w,
			  const struct credential_keys *old, struct err *e)
{
	enum errc rc = ERR_OK;

	pthread_mutex_lock(&c->lock);
	c->wanted = true;
	w->task.fn = credential_on_woken;
	if (c->keys != old && keys_are_good(c->keys)) {
		loop_later(w->loop, &w->task);
	} else if (!(c->fetching && !c->look_only) && failed_lately(c, clock_mono_us())) {
		rc = credential_fail(e);
	} else {
		w->waits = true;
		w->next = c->waits;
		c->waits = w;
	}
	pthread_mutex_unlock(&c->lock);
	return rc;
}

bool credential_unwait(struct credential *c, struct credential_wait *w)
{
	pthread_mutex_lock(&c->lock);
	bool waited = w->waits;
	for (struct credential_wait **at = &c->waits; waited && *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	w->waits = false;
	pthread_mutex_unlock(&c->lock);
	return waited;
}

/* wake_locked: a waiter may be gone as soon as it is posted. */
static void wake_locked(struct credential *c)
{
	while (c->waits) {
		struct credential_wait *w = c->waits;

		c->waits = w->next;
		w->waits = false;
		loop_post(w->loop, &w->task);
	}
}

void credential_look(struct credential *c, struct credential_about *ret)
{
	pthread_mutex_lock(&c->lock);
	*ret = (struct credential_about){ .kind = c->setup.kind->name,
					  .expires_s = c->keys ? c->keys->expires_s : 0 };
	if (c->keys)
		str_copy(ret->source, sizeof ret->source, str_of(c->keys->source));
	str_copy(ret->why, sizeof ret->why, str_of(c->why));
	pthread_mutex_unlock(&c->lock);
}

/* --- what is due --- */

void credential_want(struct credential *c)
{
	pthread_mutex_lock(&c->lock);
	c->wanted = true;
	pthread_mutex_unlock(&c->lock);
}

/* is_due_locked: what: the keys, and not only a look at files. */
static bool is_due_locked(const struct credential *c, int64_t now_us, bool *ret_keys)
{
	int64_t now_s = clock_wall_ms() / 1000;

	*ret_keys = !failed_lately(c, now_us) &&
		    (!c->keys || c->renew || c->why[0] || (c->due_s > 0 && now_s >= c->due_s));
	return *ret_keys || (c->file_count > 0 && now_us - c->looked_us >= LOOK_US);
}

static void on_run(struct work_job *job);

/* begin_locked: false: it is not due. */
static bool begin_locked(struct credential *c, int64_t now_us)
{
	bool keys;

	if (!c->wanted || c->fetching || !is_due_locked(c, now_us, &keys))
		return false;
	c->fetching = true;
	c->look_only = !keys;
	c->ran = false;
	c->looked_us = now_us;
	return true;
}

struct credential *credential_due(int64_t now_us)
{
	struct credential *c;
	bool               due = false;

	pthread_mutex_lock(&shared_lock);
	for (c = shared; c; c = c->next) {
		pthread_mutex_lock(&c->lock);
		due = begin_locked(c, now_us);
		pthread_mutex_unlock(&c->lock);
		if (due) {
			atomic_fetch_add(&c->refs, 1);
			break;
		}
	}
	pthread_mutex_unlock(&shared_lock);
	return c;
}

struct work_job *credential_job(struct credential *c)
{
	c->job.run = on_run;
	return &c->job;
}

struct credential *credential_of(struct work_job *job)
{
	return container_of(job, struct credential, job);
}

/* --- the refresh, on a worker --- */

static bool files_changed(const struct credential *c)
{
	for (size_t i = 0; i < c->file_count; i++) {
		struct stat st = { 0 };

		if (stat(c->files[i].path, &st) != 0)
			st = (struct stat){ 0 };
		if ((int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec !=
			    c->files[i].mtime_ns ||
		    st.st_size != c->files[i].size)
			return true;
	}
	return false;
}

static void files_keep(struct credential *c, const struct refresh *r)
{
	files_drop(c->seen, &c->seen_count);
	for (size_t i = 0; i < r->file_count; i++) {
		char *path = strdup(r->files[i].path);

		if (!path)
			return; /* it is read again when the keys end */
		c->seen[c->seen_count] = r->files[i];
		c->seen[c->seen_count++].path = path;
	}
}

static void on_run(struct work_job *job)
{
	struct credential *c = credential_of(job);
	struct refresh     r;
	struct str         secrets[REFRESH_SECRETS + 3];

	if (c->look_only && !files_changed(c))
		return;
	refresh_init(&r, &c->setup);
	enum errc rc = refresh_get(&r, &c->err);
	if (rc == ERR_OK && !keys_printable(&r))
		rc = refresh_fail(&r, &c->err, STR_NONE, "the keys have control characters");
	if (rc == ERR_OK && !end_is_ahead(r.expires_s))
		rc = refresh_fail(&r, &c->err, STR_NONE,
				  "the keys of %s are expired already; is the clock right?",
				  r.source);
	memcpy(secrets, r.secrets, sizeof r.secrets);
	/* The id of a key is no secret, but tells clients whose account it is. */
	secrets[r.secret_count] = str_of(r.id);
	/* The values are hidden before they are used. */
	if (rc == ERR_OK && !mask_live_put(c, secrets, r.secret_count + 1))
		rc = err_no_memory(&c->err);
	if (rc == ERR_OK && !(c->made = credential_keys_make(&r)))
		rc = err_no_memory(&c->err);
	c->err.code = rc;
	files_keep(c, &r);
	refresh_finish(&r);
	c->ran = true;
}

/* --- its end, on the keeper's loop --- */

/* due_after: five minutes before the end, or half-way to it where it comes sooner. */
static int64_t due_after(const struct credential_keys *k)
{
	int64_t now_s = clock_wall_ms() / 1000;
	int64_t left_s = k->expires_s - now_s;

	if (k->expires_s == 0)
		return 0;
	if (left_s >= 2 * EARLY_S)
		return k->expires_s - EARLY_S;
	return now_s + (left_s > 2 ? left_s / 2 : 1);
}

static void take_keys_locked(struct credential *c)
{
	credential_keys_release(c->keys);
	c->keys = c->made;
	c->made = NULL;
	c->renew = false;
	c->due_s = due_after(c->keys);
	c->why[0] = '\0';
	c->again_us = 0;
}

static void over_tell(const struct credential *c, const char *source, int64_t expires_s,
		      const char *why)
{
	const char     *upstream = c->setup.o.name ? c->setup.o.name : "";
	struct log_line l;

	metric_add(METRIC_CREDENTIALS, (const char *[]){ upstream, why ? "failed" : "ok", "" }, 1);
	log_begin(&l, why ? LOG_WARN : LOG_INFO, "credentials");
	log_str(&l, "upstream", str_of(upstream));
	if (why) {
		log_str(&l, "msg", str_of(why));
	} else {
		log_str(&l, "source", str_of(source));
		log_int(&l, "expires_at", expires_s);
	}
	log_end(&l);
}

void credential_over(struct credential *c)
{
	char    source[sizeof c->keys->source] = "";
	char    why[sizeof c->why] = "";
	int64_t expires_s = 0;

	pthread_mutex_lock(&c->lock);
	bool told = c->ran;
	bool mended = c->ran && c->err.code == ERR_OK;
	c->fetching = false;
	if (c->ran) {
		c->tried_us = clock_mono_us();
		for (size_t i = 0; i < REFRESH_FILES; i++) {
			struct refresh_file old = c->files[i];

			c->files[i] = c->seen[i];
			c->seen[i] = old;
		}
		size_t n = c->file_count;
		c->file_count = c->seen_count;
		c->seen_count = n;
		if (c->err.code == ERR_OK) {
			take_keys_locked(c);
			str_copy(source, sizeof source, str_of(c->keys->source));
			expires_s = c->keys->expires_s;
		} else {
			str_copy(c->why, sizeof c->why, str_of(c->err.text));
			str_copy(why, sizeof why, str_of(c->why));
			c->renew = false;
			c->again_us = failed_again(c);
		}
	}
	/* A look that found nothing leaves those alone who wait for keys. */
	if (!c->look_only || c->ran)
		wake_locked(c);
	pthread_mutex_unlock(&c->lock);
	if (mended)
		health_revive(c->setup.o.name);
	if (told)
		over_tell(c, source, expires_s, why[0] ? why : NULL);
}

void credential_unwant_all(void)
{
	pthread_mutex_lock(&shared_lock);
	for (struct credential *c = shared; c; c = c->next) {
		pthread_mutex_lock(&c->lock);
		if (c->fetching)
			work_unwant(&c->job);
		pthread_mutex_unlock(&c->lock);
	}
	pthread_mutex_unlock(&shared_lock);
}

void credential_gauge(void)
{
	int64_t now_s = clock_wall_ms() / 1000;

	metric_forget(METRIC_CREDENTIALS_LEFT);
	pthread_mutex_lock(&shared_lock);
	for (struct credential *c = shared; c; c = c->next) {
		pthread_mutex_lock(&c->lock);
		int64_t ends_s = c->keys ? c->keys->expires_s : 0;
		pthread_mutex_unlock(&c->lock);
		if (ends_s > 0)
			metric_put(METRIC_CREDENTIALS_LEFT,
				   (const char *[]){ c->setup.o.name, "", "" },
				   ends_s > now_s ? ends_s - now_s : 0);
	}
	pthread_mutex_unlock(&shared_lock);
}
