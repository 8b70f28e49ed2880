/* JSON Web Tokens that are signed with RS256 (RFC 7515, 7518), by OpenSSL's envelopes. */
#include "base/limits.h"
#include "provider/credential/internal.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

enum { RSA_LEAST_BITS = 2048, RSA_MOST_BYTES = 8192 / 8 };

/* rs256_read: owned; NULL: it is no private RSA key, or a weak one. */
static EVP_PKEY *rs256_read(struct str pem)
{
	BIO      *text = BIO_new_mem_buf(pem.p, (int)pem.n);
	EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, NULL, "") : NULL;

	BIO_free(text);
	ERR_clear_error();
	if (key &&
	    (EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_get_bits(key) < RSA_LEAST_BITS ||
	     EVP_PKEY_get_size(key) > RSA_MOST_BYTES)) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	return key;
}

bool rs256_is_key(struct str key)
{
	EVP_PKEY *k = rs256_read(key);

	EVP_PKEY_free(k);
	return k;
}

/* put_base64url: without padding. */
static bool put_base64url(struct buf *out, const void *data, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i += 3) {
		size_t   left = n - i < 3 ? n - i : 3;
		unsigned three = (unsigned)p[i] << 16 | (left > 1 ? (unsigned)p[i + 1] << 8 : 0) |
				 (left > 2 ? p[i + 2] : 0u);
		char code[4] = { digits[three >> 18], digits[three >> 12 & 63],
				 digits[three >> 6 & 63], digits[three & 63] };

		if (!buf_add(out, code, left + 1))
			return false;
	}
	return true;
}

static bool rs256_sign(EVP_PKEY *key, struct buf *out)
{
	unsigned char signature[RSA_MOST_BYTES];
	size_t        n = sizeof signature;
	EVP_MD_CTX   *context = EVP_MD_CTX_new();
	bool ok = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
		  EVP_DigestSign(context, signature, &n, (const unsigned char *)out->data,
				 out->len) == 1;

	EVP_MD_CTX_free(context);
	ERR_clear_error();
	return ok && buf_text(out, ".") && put_base64url(out, signature, n);
}

static bool put_header(struct buf *json, const char *key_id)
{
	return buf_text(json, "{\"typ\": \"JWT\", \"alg\": \"RS256\"") &&
	       (!key_id ||
		(buf_text(json, ", \"kid\": ") && buf_json_string(json, str_of(key_id)))) &&
	       buf_text(json, "}");
}

static bool put_claims(struct buf *json, const struct rs256_claims *c)
{
	long long from = c->now_s, to = c->now_s + c->lifetime_s;

	return buf_fmt(json, "{\"iat\": %lld, \"exp\": %lld, \"iss\": ", from, to) &&
	       buf_json_string(json, str_of(c->issuer)) && buf_text(json, ", \"aud\": ") &&
	       buf_json_string(json, str_of(c->audience)) && buf_text(json, ", \"scope\": ") &&
	       buf_json_string(json, str_of(c->scope)) && buf_text(json, "}");
}

bool rs256_assertion(const struct rs256_claims *c, struct str key, struct buf *out)
{
	EVP_PKEY  *k = rs256_read(key);
	struct buf json;
	bool       ok;

	buf_init(&json, 16 * KIB);
	ok = k && put_header(&json, c->key_id) && put_base64url(out, json.data, json.len) &&
	     buf_text(out, ".");
	buf_clear(&json);
	ok = ok && put_claims(&json, c) && put_base64url(out, json.data, json.len) &&
	     rs256_sign(k, out);
	buf_finish(&json);
	EVP_PKEY_free(k);
	return ok;
}
