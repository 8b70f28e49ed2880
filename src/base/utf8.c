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
