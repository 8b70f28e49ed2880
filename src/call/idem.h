/* call/idem: what an Idempotency-Key stands for: one request, by its method, its path and the digest of its
 * body. */
#pragma once

#include "base/err.h"
#include "store/answer.h"

/* idem_parse: the header's key into ret->key. */
enum errc idem_parse(struct str header, struct answer_label *ret, struct err *e) MUST_USE;
/* idem_bind: fills ret->digest; digest: the body's, which a worker may have made (input_digest). */
enum errc idem_bind(struct str method, struct str path, const unsigned char digest[HASH_BYTES],
		    struct answer_label *ret, struct err *e) MUST_USE;
/* idem_claim_name: the digest that a call with this key claims (desk/claims.h): each owner has keys of his own. */
void idem_claim_name(int64_t owner, const struct answer_label *label,
		     unsigned char ret[HASH_BYTES]);
