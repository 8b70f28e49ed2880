/* Waits for the keys of a call, hashes its body, and prints the lines that sign it. */
#include "base/hash.h"
#include "base/limits.h"
#include "loop/work.h"
#include "provider/credential.h"
#include "provider/remote.h"

#include <stdlib.h>

/* The sources of an entry take a bounded time, but may wait for those of other entries. */
static const int64_t wait_us = (int64_t)30 * 1000 * 1000;
static const int64_t retry_us = 10 * 1000;

struct remote_sign {
	struct remote_sign_options o; /* without env and header */
	struct loop               *loop;
	struct upstream_pool      *upstreams;
	struct work_pool          *cpu;  /* NULL: the loop hashes */
	struct buf                 own;  /* the call's further lines, NUL-terminated; empty: none */
	struct buf                 all;  /* the same, and those of the credential */
	const char                *url;  /* NULL: the target's */
	struct str                 body; /* borrowed */
	unsigned char              digest[HASH_BYTES];
	bool                       hashed;
	bool                       again; /* the keys were refused once */
	struct credential_keys    *keys;  /* held; the last ones that were used; NULL: none yet */
	struct credential_keys    *old;   /* held; refused; NULL: none */
	struct credential_wait     wait;
	struct timer               limit;  /* ends the wait */
	struct timer               retry;  /* after the workers had no place for the job */
	bool                       waits;  /* wait.fn follows */
	bool                       waited; /* and has been */
	struct work_job            job;
	bool                       aside; /* a worker hashes */
	bool                       left;  /* nobody waits any more */
	struct buf                 kept;  /* the body of a call that has left, for the worker */
};

static void sign_free(struct remote_sign *s)
{
	/* The lines have what the mask hides. */
	if (s->all.data)
		explicit_bzero(s->all.data, s->all.len);
	buf_finish(&s->all);
	buf_finish(&s->own);
	buf_finish(&s->kept);
	credential_keys_release(s->keys);
	credential_keys_release(s->old);
	credential_release(s->o.credential);
	free(s);
}

struct remote_sign *remote_sign_create(const struct remote_sign_options *o)
{
	struct remote_sign *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->o = *o;
	s->loop = o->env->loop;
	s->upstreams = o->env->upstreams;
	s->cpu = o->env->cpu;
	s->o.credential = credential_hold(o->credential);
	s->o.env = NULL;
	s->o.header = NULL;
	buf_init(&s->own, LIMIT_CALL_HEADERS);
	buf_init(&s->all, LIMIT_CALL_HEADERS + 2 * (size_t)LIMIT_SECRET);
	buf_init(&s->kept, 0);
	if (!o->header || (buf_text(&s->own, o->header) && buf_add(&s->own, "", 1)))
		return s;
	sign_free(s);
	return NULL;
}

bool remote_sign_head(const struct upstream_target *target, bool stream, const char *own,
		      struct buf *out)
{
	return buf_text(out, upstream_target_head(target, stream)) &&
	       (!own || (buf_text(out, own) && buf_text(out, "\r\n"))) && buf_add(out, "", 1);
}

/* --- the lines --- */

static const char *sign_own(const struct remote_sign *s)
{
	return s->own.len > 0 ? s->own.data : NULL;
}

/* sign_lines: prints all lines into s->all; *ret is in it. */
static enum errc sign_lines(struct remote_sign *s, const char **ret, struct err *e)
{
	struct buf head;
	enum errc  rc = ERR_OK;

	buf_init(&head, LIMIT_UPSTREAM_HEAD + LIMIT_CALL_HEADERS);
	buf_clear(&s->all);
	if (!remote_sign_head(s->o.target, s->o.stream, sign_own(s), &head) ||
	    (sign_own(s) && (!buf_text(&s->all, "\r\n") || !buf_text(&s->all, sign_own(s)))))
		rc = err_no_memory(e);
	if (rc == ERR_OK)
		rc = credential_lines(
			s->o.credential, s->keys,
			&(struct dialect_ask){
				.method = "POST",
				.url = s->url ? s->url : upstream_target_url(s->o.target),
				.head = head.data,
				.body = s->body,
			},
			s->digest, &s->all, e);
	if (rc == ERR_OK && !buf_add(&s->all, "", 1))
		rc = err_no_memory(e);
	buf_finish(&head);
	if (rc == ERR_OK)
		*ret = s->all.data + 2;
	return rc;
}

/* --- the way there --- */

static enum errc sign_step(struct remote_sign *s, const char **ret, struct err *e);

/* sign_resume: goes on after a wait. */
static void sign_resume(struct remote_sign *s)
{
	const char *header = NULL;
	struct err  e;

	if (s->left)
		sign_free(s);
	else if (sign_step(s, &header, &e) != ERR_OK)
		s->o.on_signed(s->o.arg, NULL, &e);
	else if (header)
		s->o.on_signed(s->o.arg, header, NULL);
}

static void sign_on_keys(struct credential_wait *w)
{
	struct remote_sign *s = container_of(w, struct remote_sign, wait);

	timer_stop(s->loop, &s->limit);
	s->waits = false;
	s->waited = true;
	sign_resume(s);
}

static void sign_on_limit(struct timer *t)
{
	struct remote_sign *s = container_of(t, struct remote_sign, limit);

	if (credential_unwait(s->o.credential, &s->wait))
		sign_on_keys(&s->wait);
}

static void sign_hash(struct work_job *job)
{
	struct remote_sign *s = container_of(job, struct remote_sign, job);

	hash_sha256(s->body.p, s->body.n, s->digest);
}

static void sign_on_hashed(struct work_job *job)
{
	struct remote_sign *s = container_of(job, struct remote_sign, job);

	s->aside = false;
	s->hashed = true;
	sign_resume(s);
}

static void sign_on_retry(struct timer *t)
{
	sign_resume(container_of(t, struct remote_sign, retry));
}

/* sign_hash_body: false: a worker does it, now or as soon as there is a place for the job: the loop must not hash
 * for so long. */
static bool sign_hash_body(struct remote_sign *s)
{
	if (s->hashed || !credential_hashes(s->o.credential))
		return true;
	if (s->body.n <= LIMIT_LOOP_JSON || !s->cpu) {
		hash_sha256(s->body.p, s->body.n, s->digest);
		s->hashed = true;
		return true;
	}
	s->job = (struct work_job){ .loop = s->loop, .run = sign_hash, .done = sign_on_hashed };
	s->aside = work_submit(s->cpu, &s->job);
	s->retry.fn = sign_on_retry;
	if (!s->aside)
		timer_start(s->loop, &s->retry, retry_us);
	return false;
}

/* sign_step: *ret stays NULL: sign_resume follows.  A signature has its time, so the keys come last. */
static enum errc sign_step(struct remote_sign *s, const char **ret, struct err *e)
{
	enum errc rc;

	*ret = NULL;
	if (!sign_hash_body(s))
		return ERR_OK;
	credential_keys_release(s->keys);
	s->keys = credential_now(s->o.credential, s->old);
	if (s->keys)
		return sign_lines(s, ret, e);
	if (s->waited)
		return credential_fail(e);
	s->wait = (struct credential_wait){ .loop = s->loop, .fn = sign_on_keys };
	rc = credential_wait(s->o.credential, &s->wait, s->old, e);
	s->waits = rc == ERR_OK;
	s->limit.fn = sign_on_limit;
	if (s->waits)
		timer_start(s->loop, &s->limit, wait_us);
	return rc;
}

enum errc remote_sign_go(struct remote_sign *s, const char *url, struct str body, const char **ret,
			 struct err *e)
{
	s->url = url;
	s->body = body;
	s->waited = false;
	return sign_step(s, ret, e);
}

bool remote_sign_refused(const struct remote_sign *s, int status, struct str body)
{
	return credential_is_refusal(s->o.credential, status, body);
}

bool remote_sign_again(struct remote_sign *s, int status, struct str body)
{
	if (s->again || !s->keys || !remote_sign_refused(s, status, body))
		return false;
	s->again = true;
	credential_renew(s->o.credential, s->keys);
	s->old = s->keys;
	s->keys = NULL;
	return true;
}

enum errc remote_sign_send(const struct remote_sign *s, const struct upstream_ask *ask,
			   const struct upstream_callbacks *cb, void *arg,
			   struct upstream_call **ret, struct err *e)
{
	return upstream_start(s->upstreams, s->o.target, ask, &s->o.limits, cb, arg, ret, e);
}

void remote_sign_leave_take(struct remote_sign *s, struct buf *body)
{
	if (!s)
		return;
	s->left = true;
	timer_stop(s->loop, &s->limit);
	timer_stop(s->loop, &s->retry);
	if (s->waits && credential_unwait(s->o.credential, &s->wait))
		s->waits = false;
	if (s->aside) {
		work_unwant(&s->job);
		s->kept = *body; /* the same bytes, at the same place */
		buf_init(body, 0);
	}
	if (!s->waits && !s->aside)
		sign_free(s);
}
