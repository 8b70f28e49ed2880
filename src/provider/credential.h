/* provider/credential: the keys of a provider entry with `auth:`, which are fetched, and fetched again before they end.
 *
 *   sources (a worker)                          the entry                       a call (its loop)
 *   environment, files, STS,  --keys-->  struct credential  --credential_now-->  credential_lines
 *   metadata, Google                            |  ^                                 |
 *                                               |  +--- credential_renew <-- refused +
 *                       credential_keeper: looks four times a second which are due
 *
 * A refresh is one for all loops, and begins 5 minutes before the keys end; the old ones are used until then.  A failure
 * is remembered for a minute.  Keys of files are read again when a file changes.  Nothing of it waits on a loop: the
 * sources block, so the keeper has threads of its own for them (loop/work).  A reload keeps the keys of an entry whose
 * `auth` and environment are the same.
 *
 * Every value that is secret is in the mask (provider/secret_mask) before it is sent anywhere.
 *
 * Threads: any, unless it is said otherwise. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

#include <stdint.h>

struct credential;
struct credential_keys;
struct credential_keeper;
struct dialect_ask; /* provider/dialect.h */
struct registry;

/* The map `auth` of an entry.  NULL: not given. */
struct credential_options {
	const char *kind; /* aws, google */
	const char *from; /* auto, or a source of this kind */
	/* aws */
	const char *region, *service;
	const char *profile;
	const char *role_arn, *external_id, *session_name;
	/* google */
	const char *file;
	const char *scope;
	/* Set by the configuration: secrets of the environment. */
	const char *key_id, *secret, *token; /* AWS_ACCESS_KEY_ID, … */
	const char *container_token;         /* AWS_CONTAINER_AUTHORIZATION_TOKEN */
	/* Set by the provider: its own. */
	const char *name, *base_url;
	const char *proxy; /* for STS and Google's endpoints, too; metadata is asked without */
};

/* credential_create: checks all that can be checked without a network, and fetches nothing.  *ret has one reference; it
 * is the one of an entry with the same name and the same options, if there is one.
 * Errors: INVALID_VALUE, at "auth.from" and so on; OVERLOADED. */
enum errc credential_create(const struct credential_options *o, struct credential **ret,
			    struct err *e) MUST_USE;
/* credential_check: the same, but of what the options alone show: files and profiles may be another machine's. */
enum errc          credential_check(const struct credential_options *o, struct err *e) MUST_USE;
struct credential *credential_hold(struct credential *c);
void               credential_release(struct credential *c); /* NULL is fine */

/* --- of a call */

/* credential_now: keys that are good now, held; NULL: there are none, or only old. */
struct credential_keys *credential_now(struct credential            *c,
				       const struct credential_keys *old) MUST_USE;
struct credential_keys *credential_keys_hold(struct credential_keys *k);
void                    credential_keys_release(struct credential_keys *k); /* NULL is fine */

/* credential_renew: the provider has refused these keys; a refresh is due, unless they were renewed already. */
void credential_renew(struct credential *c, const struct credential_keys *keys);

/* A call that waits for keys; embedded, fn and loop set by the embedder, the rest zero. */
struct credential_wait {
	struct task             task; /* the credential's, as the next two */
	struct credential_wait *next;
	bool                    waits;
	struct loop            *loop;
	void (*fn)(struct credential_wait *w); /* on the loop, once, when a refresh is over */
};
/* credential_wait: waits for the end of a refresh, which is under way or begins now; then credential_now tells, which
 * had nothing but `old`.  Errors: UPSTREAM_AUTH: a refresh has just failed, so nothing is waited for. */
enum errc credential_wait(struct credential *c, struct credential_wait *w,
			  const struct credential_keys *old, struct err *e) MUST_USE;
/* credential_unwait: fn is not called any more.  False: too late, it will be. */
bool credential_unwait(struct credential *c, struct credential_wait *w) MUST_USE;
/* credential_fail: the error of a call for which there are no keys. */
enum errc credential_fail(struct err *e);

/* credential_lines: appends the header lines of a request, each as "\r\nName: value".  digest: of the body.
 * Errors: OVERLOADED, INTERNAL. */
enum errc credential_lines(const struct credential *c, const struct credential_keys *keys,
			   const struct dialect_ask *ask, const unsigned char *digest,
			   struct buf *out, struct err *e) MUST_USE;
/* credential_hashes: whether credential_lines needs the digest. */
bool credential_hashes(const struct credential *c);
/* credential_is_refusal: whether an answer says that the keys are not good, and not that they may not do this. */
bool credential_is_refusal(const struct credential *c, int status, struct str body);

/* --- what is known of it */

struct credential_about {
	const char *kind;
	char        source[96]; /* empty: no keys yet */
	int64_t     expires_s;  /* wall clock; 0: never, or no keys */
	char        why[240];   /* the last refresh failed; empty: it did not */
};
void credential_look(struct credential *c, struct credential_about *ret);
/* credential_gauge: sets the metric of the time that is left, of all. */
void credential_gauge(void);

/* --- keeper: begins what is due.  Threads: the loop's own. */

struct credential_keeper_options {
	struct loop *loop;
	/* now: the providers of the present configuration, borrowed for the call. */
	const struct registry *(*now)(void *arg);
	void *arg;
};
/* credential_keeper_create: *ret is owned, and does nothing before credential_keeper_look.  Errors: INTERNAL (memory). */
enum errc credential_keeper_create(const struct credential_keeper_options *o,
				   struct credential_keeper **ret, struct err *e) MUST_USE;
/* credential_keeper_look: there may be other providers now. */
void credential_keeper_look(struct credential_keeper *k);
/* credential_keeper_stop: ends what runs; the loop needs another turn before credential_keeper_destroy (NULL is fine for
 * both). */
void credential_keeper_stop(struct credential_keeper *k);
void credential_keeper_destroy(struct credential_keeper *k);
