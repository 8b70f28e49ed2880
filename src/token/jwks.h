/* token/jwks: the public keys of an issuer (RFC 7517): one set of them, and what is known of them over time.
 *
 * A set is fetched again every ten minutes, and once in 30 seconds at most for a token that names a key which is not in
 * it.  If no new set can be had, the old one is used for a day.  Who asks never waits: token/token_fetch fetches.
 * Threads: any. */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "token/jwt.h"

enum { JWKS_KEYS = 32 };

/* --- set: immutable. */

struct jwks_set;

/* jwks_set_read: keys that are for something else than these signatures, or are weak, are left out; further ones than
 * JWKS_KEYS, too.  A set in which none is left is a set: an issuer withdraws its last key so.  *ret has one reference.
 * Errors: INVALID_VALUE: it is no set; INTERNAL (memory). */
enum errc        jwks_set_read(struct str text, struct jwks_set **ret, struct err *e) MUST_USE;
struct jwks_set *jwks_set_hold(struct jwks_set *s);
void             jwks_set_release(struct jwks_set *s); /* NULL is fine */

enum jwks_verdict { JWKS_GOOD, JWKS_NO_KEY, JWKS_WRONG };
/* jwks_set_check: whether a key of the set has signed the token.  JWKS_NO_KEY: the set does not have the key that the
 * token names.  ret_mark: of the key. */
enum jwks_verdict jwks_set_check(const struct jwks_set *s, const struct jwt *t,
				 unsigned char ret_mark[HASH_BYTES]) MUST_USE;
/* The mark of a key is a digest of its numbers.  jwks_set_mark: NULL: the set has no further keys. */
bool                 jwks_set_has(const struct jwks_set *s, const unsigned char mark[HASH_BYTES]);
const unsigned char *jwks_set_mark(const struct jwks_set *s, size_t i);

/* --- jwks: over time. */

struct jwks;

/* jwks_create: those that are fetched are the same for all that say the same of where they come from (what), so that a
 * reload of the configuration forgets nothing.  fixed: held; keys that are never fetched.  NULL: no memory. */
struct jwks *jwks_create(const char *what, struct jwks_set *fixed) MUST_USE;
struct jwks *jwks_hold(struct jwks *k);
void         jwks_release(struct jwks *k); /* NULL is fine */

/* The addresses that the issuer says of itself, beside that of its keys. */
enum { JWKS_URL = 1024 };
struct jwks_sign_in {
	char authorize[JWKS_URL]; /* where the browser goes */
	char token[JWKS_URL];     /* where a code becomes a token */
	bool names_issuer;        /* the browser comes back with the issuer's name (RFC 9207) */
};
/* jwks_sign_in: false: none are known.  jwks_tell: they are known from now on. */
bool jwks_sign_in(struct jwks *k, struct jwks_sign_in *ret) MUST_USE;
void jwks_tell(struct jwks *k, const struct jwks_sign_in *at);

/* jwks_now: the set to check with, held; NULL: none is known. */
struct jwks_set *jwks_now(struct jwks *k, int64_t now_us) MUST_USE;
/* jwks_miss: a token names a key that is not in the set. */
void jwks_miss(struct jwks *k);
/* jwks_due: the keys should be fetched now; they count as being fetched until jwks_fetched is called, with the set, which
 * is consumed, or with NULL after a failure. */
bool jwks_due(struct jwks *k, int64_t now_us) MUST_USE;
void jwks_fetched(struct jwks *k, struct jwks_set *s, int64_t now_us);
