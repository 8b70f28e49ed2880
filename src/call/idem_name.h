/* call/idem_name: the Idempotency-Key of a request, and the digest of the request that it is bound
 * to. */
#pragma once

#include "desk/idem.h"
#include "store/idem.h"

/* idem_name_read: the header's key into ret->key, and ret->owner. */
enum errc idem_name_read(struct str header, int64_t owner, struct idem_name *ret,
			 struct err *e) MUST_USE;
/* idem_name_digest: fills ret->fingerprint from the method, the path and the digest of the body,
 * which a worker may have made (input_digest). */
enum errc idem_name_digest(struct str method, struct str path,
			   const unsigned char digest[HASH_BYTES], struct idem_name *ret,
			   struct err *e) MUST_USE;
/* idem_name_store: the key in the store's form; borrowed from name. */
struct store_idem idem_name_store(const struct idem_name *name);
