/* Reads an Idempotency-Key. */
#include "call/idem_name.h"

#include "base/limits.h"
#include "store/idem.h"

/* The key is bare, or in quotes like the string of a structured field. */
enum errc idem_name_read(struct str text, int64_t owner, struct idem_name *ret, struct err *e)
{
	bool ok;

	if (text.n >= 2 && text.p[0] == '"' && text.p[text.n - 1] == '"')
		text = (struct str){ text.p + 1, text.n - 2 };
	ok = text.n >= 1 && text.n <= IDEM_MAX;
	for (size_t i = 0; ok && i < text.n; i++)
		ok = text.p[i] >= 0x21 && text.p[i] <= 0x7e;
	if (!ok)
		return err_set(e, ERR_INVALID_VALUE, "Idempotency-Key",
			       "must be 1 to %d visible ASCII characters, without spaces",
			       IDEM_MAX);
	str_copy(ret->key, sizeof ret->key, text);
	ret->owner = owner;
	return ERR_OK;
}

enum errc idem_name_digest(struct str method, struct str path,
			   const unsigned char digest[HASH_BYTES], struct idem_name *ret,
			   struct err *e)
{
	struct buf text;

	buf_init(&text, LIMIT_HEADER_BYTES + KIB);
	bool ok = buf_str(&text, method) && buf_text(&text, " ") && buf_str(&text, path) &&
		  buf_text(&text, "\n") && buf_add(&text, digest, HASH_BYTES);
	if (ok)
		hash_sha256(text.data, text.len, ret->fingerprint);
	buf_finish(&text);
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the call");
}

struct store_idem idem_name_store(const struct idem_name *name)
{
	return (struct store_idem){
		.key = str_of(name->key),
		.fingerprint = { (const char *)name->fingerprint, HASH_BYTES },
	};
}
