/* hash: SHA-256, HMAC, hex, and a comparison in constant time.  Any thread. */
#pragma once

#include "base/base.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_sum;

enum { HASH_BYTES = 32, HASH_HEX = 2 * HASH_BYTES };

/* hash_sha256: the digest of data[0..len). */
void hash_sha256(const void *data, size_t len, unsigned char ret[HASH_BYTES]);

/* SHA-256 of bytes that come in pieces.  hash_sum_begin: owned; NULL: no memory. */
struct hash_sum *hash_sum_begin(void) MUST_USE;
void             hash_sum_add(struct hash_sum *h, const void *data, size_t len);
/* hash_sum_end: the digest of all added bytes; may be called once. */
void hash_sum_end(struct hash_sum *h, unsigned char ret[HASH_BYTES]);
void hash_sum_destroy(struct hash_sum *h);

/* hash_hmac: HMAC-SHA-256 (RFC 2104) of data[0..len). */
void hash_hmac(const unsigned char key[HASH_BYTES], const void *data, size_t len,
	       unsigned char ret[HASH_BYTES]);

/* hash_hmac_of: the same with a key of any length. */
void hash_hmac_of(struct str key, const void *data, size_t len, unsigned char ret[HASH_BYTES]);
/* hash_hex: writes len bytes as 2 * len lower-case digits and a NUL to ret. */
void hash_hex(const void *data, size_t len, char *ret);
/* hash_digit: the value of a hexadecimal digit, of either case; -1: it is none. */
int hash_digit(char c);
/* hash_unhex: reads 2 * len digits, of either case, into len bytes; false: hex[0..hex_len) is
 * something else, and ret is untouched. */
bool hash_unhex(const char *hex, size_t hex_len, void *ret, size_t len) MUST_USE;

/* hash_equal: compares len bytes; the time it takes depends on len alone. */
bool hash_equal(const void *a, const void *b, size_t len);

/* --- mix: a 64-bit hash of bytes (FNV-1a), for tables and names.  Who chooses the bytes can make two of them
 * collide, so nothing may rest on that not happening; hash.h is for secrets.  Any thread. */

#define MIX_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t mix_byte(uint64_t h, unsigned char c)
{
	return (h ^ c) * UINT64_C(0x100000001b3);
}

/* mix_str: h, of MIX_BEGIN or what came before, with the bytes of s. */
static inline uint64_t mix_str(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = mix_byte(h, (unsigned char)s.p[i]);
	return h;
}
