/* struct str: a borrowed span of bytes; never owned, not NUL-terminated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char *p;
	size_t      n;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_NONE     ((struct str){ NULL, 0 })
#define STR_ARG(s)   (int)(s).n, (s).p /* for "%.*s" */

static inline struct str str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

/* str_copy: copies s to to[size], cut if necessary, with a NUL. */
static inline void str_copy(char *to, size_t size, struct str s)
{
	size_t n = s.n < size ? s.n : size - 1;

	if (n > 0)
		memcpy(to, s.p, n);
	to[n] = '\0';
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
	return str_eq(a, str_of(text));
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

/* str_trim: s without white space and control characters at its ends. */
static inline struct str str_trim(struct str s)
{
	while (s.n > 0 && (unsigned char)s.p[0] <= ' ')
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n > 0 && (unsigned char)s.p[s.n - 1] <= ' ')
		s.n--;
	return s;
}
