/* token/jwt: a JSON Web Token in its compact form (RFC 7515, 7519): its parts, and the algorithms that may sign it.
 *
 * All of a token is hostile until its signature was checked (token/jwks), so this reads strictly: base64url
 * without padding and with nothing in the unused bits, JSON without a name twice, one of three algorithms, all of
 * which need a private key to sign, and no extension that a signer calls critical.  Headers that name a key's
 * place or carry a key (jku, x5u, jwk, x5c) are never looked at.  Pure; any thread. */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "json/scan.h"

enum { JWT_KID_MAX = 256 };

enum jwt_alg { JWT_RS256, JWT_ES256, JWT_EDDSA, JWT_ALG__COUNT };

/* jwt_alg_find: false: another one, or none. */
bool jwt_alg_find(struct str name, enum jwt_alg *ret) MUST_USE;

struct jwt {
	enum jwt_alg    alg;
	struct str      kid;       /* p is NULL: the header names no key */
	struct str      said;      /* the signed bytes; borrowed from the text */
	struct str      signature; /* bytes; in the arena */
	struct json_doc claims;    /* an object; its text is in the arena */
};

/* jwt_read: false: it is no token that could be good.  jwt_finish is needed either way. */
bool jwt_read(struct str text, struct arena *a, struct jwt *ret) MUST_USE;
void jwt_finish(struct jwt *t);

/* jwt_unbase64: the bytes of base64url, in the arena.  False: it is something else, or there is no memory. */
bool jwt_unbase64(struct str text, struct arena *a, struct str *ret) MUST_USE;
/* jwt_json: scans a text whose duplicate names, depth and length are bounded. */
bool jwt_json(struct json_doc *d, struct str text) MUST_USE;
