/* base/utf8: reads and writes single characters in the forms that JSON has for them. */
#pragma once

#include <stddef.h>

/* utf8_hex4: the value of four bytes that are known to be hexadecimal digits. */
unsigned utf8_hex4(const char *digits);
/* utf8_put: writes the character v (up to 0x10ffff) as one to four bytes, and returns their
 * number.  A surrogate becomes three bytes that are not UTF-8; callers that may meet one must
 * handle it. */
size_t utf8_put(char *at, unsigned v);
/* utf8_len: the length of the character at s, which has n > 0 bytes; 0: no character of strict
 * UTF-8 begins there (RFC 3629: no overlong forms, no surrogates). */
size_t utf8_len(const unsigned char *s, size_t n);
