/* routes/kit/key_name: the Idempotency-Key of a request, and the digest of the request that it
 * is bound to. */
#pragma once

#include "http/request.h"
#include "desk/keys.h"
#include "store/idem.h"

/* key_name_read: the header's key into ret->key, and ret->owner. */
enum errc key_name_read(struct request *r, struct keys_name *ret, struct err *e) MUST_USE;
/* key_name_digest: fills ret->fingerprint from the method, the path and the digest of the body,
 * which a worker may have made (input_digest). */
enum errc key_name_digest(struct str method, struct str path, const unsigned char digest[HASH_BYTES],
			  struct keys_name *ret, struct err *e) MUST_USE;
/* key_name_store: the key in the store's form; borrowed from name. */
struct store_key key_name_store(const struct keys_name *name);
