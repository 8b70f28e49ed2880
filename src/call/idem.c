/* Reads an Idempotency-Key, and says what it stands for. */
#include "call/idem.h"

#include "base/buf.h"
#include "base/limits.h"

#include <stdio.h>

/* The key is bare, or in quotes like the string of a structured field. */
enum errc idem_parse(struct str text, struct answer_label *ret, struct err *e)
{
	bool ok;

	if (text.n >= 2 && text.p[0] == '"' && text.p[text.n - 1] == '"')
		text = (struct str){ text.p + 1, text.n - 2 };
	ok = text.n >= 1 && text.n <= ANSWER_KEY_MAX;
	for (size_t i = 0; ok && i < text.n; i++)
		ok = text.p[i] >= 0x21 && text.p[i] <= 0x7e;
	if (!ok)
		return err_set(e, ERR_INVALID_VALUE, "Idempotency-Key",
			       "must be 1 to %d visible ASCII characters, without spaces",
			       ANSWER_KEY_MAX);
	str_copy(ret->key, sizeof ret->key, text);
	return ERR_OK;
}

enum errc idem_bind(struct str method, struct str path, const unsigned char digest[HASH_BYTES],
		    struct answer_label *ret, struct err *e)
{
	struct buf text;

	buf_init(&text, LIMIT_HEADER_BYTES + KIB);
	bool ok = buf_str(&text, method) && buf_text(&text, " ") && buf_str(&text, path) &&
		  buf_text(&text, "\n") && buf_add(&text, digest, HASH_BYTES);
	if (ok)
		hash_sha256(text.data, text.len, ret->digest);
	buf_finish(&text);
	return ok ? ERR_OK : err_set(e, ERR_OVERLOADED, "", "no memory for the call");
}

void idem_claim_name(int64_t owner, const struct answer_label *label, unsigned char ret[HASH_BYTES])
{
	char text[sizeof label->key + 64];
	int  n = snprintf(text, sizeof text, "Idempotency-Key %lld %s", (long long)owner,
			  label->key);

	hash_sha256(text, (size_t)n, ret);
}
