/* Characters written as UTF-8, and the digits of \u escapes. */
#include "base/utf8.h"

unsigned utf8_hex4(const char *digits)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++) {
		unsigned c = (unsigned char)digits[i];

		v = v << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

size_t utf8_put(char *at, unsigned v)
{
	if (v < 0x80) {
		at[0] = (char)v;
		return 1;
	}
	if (v < 0x800) {
		at[0] = (char)(0xc0 | v >> 6);
		at[1] = (char)(0x80 | (v & 63));
		return 2;
	}
	if (v < 0x10000) {
		at[0] = (char)(0xe0 | v >> 12);
		at[1] = (char)(0x80 | (v >> 6 & 63));
		at[2] = (char)(0x80 | (v & 63));
		return 3;
	}
	at[0] = (char)(0xf0 | v >> 18);
	at[1] = (char)(0x80 | (v >> 12 & 63));
	at[2] = (char)(0x80 | (v >> 6 & 63));
	at[3] = (char)(0x80 | (v & 63));
	return 4;
}

size_t utf8_len(const unsigned char *s, size_t n)
{
	unsigned char low = 0x80;
	unsigned char high = 0xbf;
	size_t        len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (n < len || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}
