/* Makes API keys, and recognizes them among other texts. */
#include "base/api_key.h"

#include "base/id.h"

#include <string.h>

static const char front[] = "parley_sk_";
static const char id_front[] = "key_";
static const char group_front[] = "grp_";

enum {
	FRONT = sizeof front - 1,
	SECRET = 43, /* characters: 62^43 is a little more than 2^256 */
	CHECK_DIGITS = 6,
	CHECK_AT = API_KEY_LENGTH - CHECK_DIGITS,
};

/* Ids are read aloud and typed, so no two of these characters look alike. */
static const char id_signs[] = "0123456789abcdefghjkmnpqrstvwxyz";
static const char secret_signs[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* CRC-32 as in zip, four bits at a time. Every request needs one, so it must be cheap. */
static uint32_t crc32_of(const char *p, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)p[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

static void put_check(const char *text, char ret[CHECK_DIGITS])
{
	uint32_t crc = crc32_of(text, CHECK_AT);

	for (int i = CHECK_DIGITS - 1; i >= 0; i--, crc /= 62)
		ret[i] = secret_signs[crc % 62];
}

/* Bytes that would make the first characters more likely are skipped. */
static void put_secret(char *at)
{
	for (size_t n = 0; n < SECRET;) {
		uint64_t word = id_random();

		for (size_t i = 0; i < 8 && n < SECRET; i++, word >>= 8)
			if ((word & 255) < 248)
				at[n++] = secret_signs[(word & 255) % 62];
	}
}

void api_key_remake(const char id[API_KEY_ID + 1], char ret_text[API_KEY_MAX])
{
	memcpy(ret_text, front, FRONT);
	memcpy(ret_text + FRONT, id, API_KEY_ID);
	ret_text[FRONT + API_KEY_ID] = '_';
	put_secret(ret_text + FRONT + API_KEY_ID + 1);
	put_check(ret_text, ret_text + CHECK_AT);
	ret_text[API_KEY_LENGTH] = '\0';
}

void api_key_group_make(char ret_id[API_KEY_ID + 1])
{
	uint64_t word = id_random();

	for (size_t i = 0; i < API_KEY_ID; i++, word >>= 5)
		ret_id[i] = id_signs[word & 31];
	ret_id[API_KEY_ID] = '\0';
}

void api_key_make(char ret_id[API_KEY_ID + 1], char ret_text[API_KEY_MAX])
{
	api_key_group_make(ret_id);
	api_key_remake(ret_id, ret_text);
}

int64_t api_key_owner(void)
{
	return (int64_t)(id_random() >> 1 | 1);
}

void api_key_wipe(char text[API_KEY_MAX])
{
	explicit_bzero(text, API_KEY_MAX);
}

static bool all_of(struct str s, const char *signs)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(signs, s.p[i]))
			return false;
	return true;
}

bool api_key_parse(struct str text, struct str *ret_id)
{
	char check[CHECK_DIGITS];

	if (text.n != API_KEY_LENGTH || memcmp(text.p, front, FRONT) != 0)
		return false;
	put_check(text.p, check);
	struct str id = { text.p + FRONT, API_KEY_ID };
	if (memcmp(check, text.p + CHECK_AT, CHECK_DIGITS) != 0 || !all_of(id, id_signs))
		return false;
	*ret_id = id;
	return true;
}

bool api_key_within(struct str text)
{
	/* The last one is in every JSON Web Token, whose header and claims are objects. */
	static const char *const fronts[] = { front, "parley_st_", ".eyJ" };

	for (size_t i = 0; i < ARRAY_LEN(fronts); i++)
		if (text.n > 0 && memmem(text.p, text.n, fronts[i], strlen(fronts[i])))
			return true;
	return false;
}

static bool api_key_named(struct str text, const char before[5], struct str *ret)
{
	size_t     n = strlen(before);
	struct str id = { text.p + n, API_KEY_ID };

	if (text.n != n + API_KEY_ID || memcmp(text.p, before, n) != 0 || !all_of(id, id_signs))
		return false;
	*ret = id;
	return true;
}

bool api_key_id(struct str text, struct str *ret)
{
	return api_key_named(text, id_front, ret);
}

bool api_key_group(struct str text, struct str *ret)
{
	return api_key_named(text, group_front, ret);
}
