/* token/signature: public keys of issuers, and signatures by them.  Only signature.c knows the library.
 *
 * Keys are immutable.  Threads: any. */
#pragma once

#include "base/base.h"
#include "base/str.h"
#include "token/jwt.h"

struct signature_key;

/* signature_key_make: the key of an algorithm, by its numbers, big-endian: n and e of RSA (2048 to 4096 bits), x and
 * y of P-256, x of Ed25519 (b is not used).  NULL: it is no such key, it is a weak one, or there is no memory. */
struct signature_key *signature_key_make(enum jwt_alg alg, struct str a, struct str b) MUST_USE;
void                  signature_key_destroy(struct signature_key *k); /* NULL is fine */

/* signature_is: whether the signature of said is by this key, with the key's algorithm. */
bool signature_is(const struct signature_key *k, struct str said, struct str signature) MUST_USE;
