/* Digests against the standard's examples, hex both ways, and comparison. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void digests_are_those_of_the_standard(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned char sum[HASH_BYTES];
		char          hex[HASH_HEX + 1];

		hash_sha256(rows[i].text, strlen(rows[i].text), sum);
		hash_hex(sum, sizeof sum, hex);
		assert_string_equal(hex, rows[i].want);
	}

	unsigned char sum[HASH_BYTES];
	char          hex[HASH_HEX + 1];
	hash_sha256(NULL, 0, sum);
	hash_hex(sum, sizeof sum, hex);
	assert_string_equal(hex, rows[0].want);
}

static void hex_is_read_only_when_it_is_exact(void **state)
{
	(void)state;
	static const struct {
		const char *why;
		const char *hex;
		bool        fine;
	} rows[] = {
		{ "lower case", "00ff7fa5", true },
		{ "upper case", "00FF7FA5", true },
		{ "a byte short", "00ff7f", false },
		{ "a byte more", "00ff7fa500", false },
		{ "half a byte", "00ff7fa", false },
		{ "half a byte more", "00ff7fa50", false },
		{ "no digit first", "g0ff7fa5", false },
		{ "no digit last", "00ff7fa:", false },
		{ "a space", "00 f7fa5", false },
		{ "a sign", "0x0ff7fa", false },
		{ "nothing", "", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		static const unsigned char want[4] = { 0x00, 0xff, 0x7f, 0xa5 };
		static const unsigned char before[4] = { 1, 2, 3, 4 };
		unsigned char              got[4] = { 1, 2, 3, 4 };

		if (hash_unhex(rows[i].hex, strlen(rows[i].hex), got, sizeof got) != rows[i].fine)
			fail_msg("%s", rows[i].why);
		assert_memory_equal(got, rows[i].fine ? want : before, sizeof got);
	}
	assert_true(hash_unhex("", 0, &(char){ 0 }, 0));
	assert_false(hash_unhex("00", 2, &(char){ 0 }, SIZE_MAX / 2 + 2));
}

static void comparison_sees_every_bit(void **state)
{
	(void)state;
	unsigned char a[HASH_BYTES];
	unsigned char b[HASH_BYTES];

	memset(a, 0x5a, sizeof a);
	memcpy(b, a, sizeof b);
	assert_true(hash_equal(a, b, sizeof a));
	assert_true(hash_equal(a, b, 0));
	for (size_t i = 0; i < 8 * sizeof a; i++) {
		b[i / 8] ^= (unsigned char)(1u << i % 8);
		assert_false(hash_equal(a, b, sizeof a));
		b[i / 8] = a[i / 8];
	}
}

static void hmac_as_rfc_4231_has_it(void **state)
{
	/* Case 2; its key is shorter, and HMAC fills a short one up with zeros. */
	const unsigned char key[HASH_BYTES] = "Jefe";
	unsigned char       mac[HASH_BYTES];
	char                hex[HASH_HEX + 1];

	(void)state;
	hash_hmac(key, "what do ya want for nothing?", 28, mac);
	hash_hex(mac, HASH_BYTES, hex);
	assert_string_equal(hex,
			    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hmac_as_rfc_4231_has_it),
		cmocka_unit_test(digests_are_those_of_the_standard),
		cmocka_unit_test(hex_is_read_only_when_it_is_exact),
		cmocka_unit_test(comparison_sees_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
