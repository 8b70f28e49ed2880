/* routes/kit/key_name: the Idempotency-Key of a request, and the digest of what it stands for. */
#pragma once

#include "http/request.h"
#include "desk/keys.h"
#include "store/store.h"

/* key_name_read: the header's key into ret->key, and ret->owner. */
enum errc key_name_read(struct request *r, struct keys_name *ret, struct err *e) MUST_USE;
/* key_name_digest: ret->fingerprint: of the method, the path and the body's digest, which a worker may
 * have made (input_digest). */
enum errc key_name_digest(struct str method, struct str path, const unsigned char digest[HASH_BYTES],
			  struct keys_name *ret, struct err *e) MUST_USE;
/* key_name_store: as the store wants it; borrowed from name. */
struct store_key key_name_store(const struct keys_name *name);
