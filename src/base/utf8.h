/* base/utf8: single characters to and from the forms that JSON has for them. */
#pragma once

#include <stddef.h>

/* utf8_hex4: the value of four hexadecimal digits, which are such. */
unsigned utf8_hex4(const char *digits);
/* utf8_put: v (up to 0x10ffff) in one to four bytes at `at`; how many.  A surrogate gets three, which
 * is not UTF-8: callers that may meet one see to it. */
size_t utf8_put(char *at, unsigned v);
/* utf8_len: of the character at s, of which n > 0 bytes are there; 0: none begins there, for strict
 * UTF-8 has no overlong form and no surrogate (RFC 3629). */
size_t utf8_len(const unsigned char *s, size_t n);
