/* Digests and hex; OpenSSL lives only here. */
#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

void hash_sha256(const void *data, size_t len, unsigned char ret[HASH_BYTES])
{
	/* Fails only when the library is unusable or a few hundred bytes can't be had: a digest
	 * that was not made must never be compared. */
	unsigned n = 0;

	CHECK(EVP_Digest(len ? data : "", len, ret, &n, EVP_sha256(), NULL) == 1);
	CHECK(n == HASH_BYTES);
}

/* Only ever used through pointers: it is OpenSSL's own context. */
static EVP_MD_CTX *context_of(struct hash_sum *h)
{
	return (EVP_MD_CTX *)(void *)h;
}

struct hash_sum *hash_sum_begin(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(c);
		return NULL;
	}
	return (struct hash_sum *)(void *)c;
}

void hash_sum_add(struct hash_sum *h, const void *data, size_t len)
{
	if (len > 0)
		CHECK(EVP_DigestUpdate(context_of(h), data, len) == 1);
}

void hash_sum_end(struct hash_sum *h, unsigned char ret[HASH_BYTES])
{
	unsigned n = 0;

	CHECK(EVP_DigestFinal_ex(context_of(h), ret, &n) == 1);
	CHECK(n == HASH_BYTES);
}

void hash_sum_destroy(struct hash_sum *h)
{
	EVP_MD_CTX_free(context_of(h));
}

void hash_hmac(const unsigned char key[HASH_BYTES], const void *data, size_t len,
	       unsigned char ret[HASH_BYTES])
{
	unsigned n = 0;

	CHECK(HMAC(EVP_sha256(), key, HASH_BYTES, data, len, ret, &n) != NULL);
	CHECK(n == HASH_BYTES);
}

void hash_hex(const void *data, size_t len, char *ret)
{
	static const char    digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++) {
		ret[2 * i] = digits[bytes[i] >> 4];
		ret[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret[2 * len] = '\0';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hash_unhex(const char *hex, size_t hex_len, void *ret, size_t len)
{
	unsigned char *bytes = ret;

	if (hex_len % 2 != 0 || hex_len / 2 != len)
		return false;
	for (size_t i = 0; i < hex_len; i++)
		if (digit(hex[i]) < 0)
			return false;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)((unsigned)digit(hex[2 * i]) << 4 | (unsigned)digit(hex[2 * i + 1]));
	return true;
}

bool hash_equal(const void *a, const void *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}
