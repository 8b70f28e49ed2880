/* Digests and hex; only this file uses OpenSSL. It uses the plain SHA-256 functions, which OpenSSL
 * 3 would like to replace by its envelopes, because they take no memory: a digest can't fail, and
 * costs less. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>

enum { SHA256_BLOCK = 64 }; /* bytes, FIPS 180-4 */

struct hash_sum {
	SHA256_CTX context;
};

static void sum_init(struct hash_sum *h)
{
	CHECK(SHA256_Init(&h->context) == 1);
}

void hash_sha256(const void *data, size_t len, unsigned char ret[HASH_BYTES])
{
	struct hash_sum h;

	sum_init(&h);
	hash_sum_add(&h, data, len);
	hash_sum_end(&h, ret);
}

struct hash_sum *hash_sum_begin(void)
{
	struct hash_sum *h = malloc(sizeof *h);

	if (h)
		sum_init(h);
	return h;
}

void hash_sum_add(struct hash_sum *h, const void *data, size_t len)
{
	if (len > 0)
		CHECK(SHA256_Update(&h->context, data, len) == 1);
}

void hash_sum_end(struct hash_sum *h, unsigned char ret[HASH_BYTES])
{
	CHECK(SHA256_Final(ret, &h->context) == 1);
}

void hash_sum_destroy(struct hash_sum *h)
{
	free(h);
}

/* One half of an HMAC (RFC 2104): the digest of the key's block, each byte combined with `pad`, and
 * the data. */
static void hmac_half(struct str key, unsigned char pad, const void *data, size_t len,
		      unsigned char ret[HASH_BYTES])
{
	unsigned char   block[SHA256_BLOCK];
	struct hash_sum h;

	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (unsigned char)((i < key.n ? (unsigned char)key.p[i] : 0) ^ pad);
	sum_init(&h);
	hash_sum_add(&h, block, sizeof block);
	hash_sum_add(&h, data, len);
	hash_sum_end(&h, ret);
	OPENSSL_cleanse(block, sizeof block);
}

void hash_hmac_of(struct str key, const void *data, size_t len, unsigned char ret[HASH_BYTES])
{
	unsigned char inner[HASH_BYTES], digest[HASH_BYTES] = { 0 };

	if (key.n > SHA256_BLOCK) {
		hash_sha256(key.p, key.n, digest);
		key = (struct str){ (const char *)digest, sizeof digest };
	}
	hmac_half(key, 0x36, data, len, inner);
	hmac_half(key, 0x5c, inner, sizeof inner, ret);
	OPENSSL_cleanse(digest, sizeof digest);
}

void hash_hmac(const unsigned char key[HASH_BYTES], const void *data, size_t len,
	       unsigned char ret[HASH_BYTES])
{
	hash_hmac_of((struct str){ (const char *)key, HASH_BYTES }, data, len, ret);
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

int hash_digit(char c)
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
		if (hash_digit(hex[i]) < 0)
			return false;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)((unsigned)hash_digit(hex[2 * i]) << 4 |
					   (unsigned)hash_digit(hex[2 * i + 1]));
	return true;
}

bool hash_equal(const void *a, const void *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}
