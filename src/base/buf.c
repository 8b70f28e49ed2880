/* A growing byte buffer, born with a maximum. */
#include "base/buf.h"

#include "base/money.h"
#include "base/limits.h"
#include "base/plain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_finish(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ .max = b->max };
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}

enum {
	LARGE = MIB,
	LARGE_GROWTH = 16,
};

/* buf_reserve: a large buffer that grows by small pieces takes far more than it needs. Memory that
 * is never written costs nothing, but every move copies megabytes in one step of a loop, and the
 * buffers that one stream goes through tend to move in the same step. */
bool buf_reserve(struct buf *b, size_t n)
{
	size_t need = b->len + n;

	if (n > b->max || need > b->max) {
		errno = EMSGSIZE;
		return false;
	}
	if (need <= b->cap)
		return true;

	size_t cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap += cap / 2;
	if (b->cap >= LARGE && n < LARGE)
		cap = b->cap * LARGE_GROWTH;
	if (cap > b->max)
		cap = b->max;

	char *data = realloc(b->data, cap);
	if (!data)
		return false; /* errno is ENOMEM (POSIX) */
	b->data = data;
	b->cap = cap;
	return true;
}

bool buf_add(struct buf *b, const void *data, size_t len)
{
	if (len > b->cap - b->len && !buf_reserve(b, len))
		return false;
	if (len > 0)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return true;
}

bool buf_int(struct buf *b, int64_t v)
{
	char text[DECIMAL_MAX];

	return buf_str(b, decimal_int(v, text));
}

bool buf_thousandths(struct buf *b, int64_t v)
{
	char text[DECIMAL_MAX];

	return buf_str(b, decimal_thousandths(v, text));
}

bool buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !buf_reserve(b, (size_t)n + 1))
		return false;
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return true;
}

enum {
	ESCAPE_MAX = 6, /* bytes of the longest escape */
	RUN_MAX = 256,  /* escapes that are added in one step */
};

/* The character after the backslash of a byte's escape; 0: the byte needs no escape. */
/* clang-format off */
static const char escapes[0x100] = {
	[0] = 'u', [1] = 'u', [2] = 'u', [3] = 'u', [4] = 'u', [5] = 'u', [6] = 'u', [7] = 'u',
	[8] = 'u', [9] = 't', [10] = 'n', [11] = 'u', [12] = 'u', [13] = 'r', [14] = 'u', [15] = 'u',
	[16] = 'u', [17] = 'u', [18] = 'u', [19] = 'u', [20] = 'u', [21] = 'u', [22] = 'u', [23] = 'u',
	[24] = 'u', [25] = 'u', [26] = 'u', [27] = 'u', [28] = 'u', [29] = 'u', [30] = 'u', [31] = 'u',
	['"'] = '"', ['\\'] = '\\',
};
/* clang-format on */

/* buf_add_escaped: adds the run of bytes from s.p[*i] on that all need an escape, and moves *i
 * after it. */
static bool buf_add_escaped(struct buf *b, struct str s, size_t *i)
{
	static const char hex[] = "0123456789abcdef";
	char              made[RUN_MAX * ESCAPE_MAX];
	size_t            n;

	do {
		size_t end = s.n - *i < RUN_MAX ? s.n : *i + RUN_MAX;

		n = 0;
		for (; *i < end; (*i)++) {
			unsigned char c = (unsigned char)s.p[*i];

			if (!escapes[c])
				break;
			made[n++] = '\\';
			made[n++] = escapes[c];
			if (escapes[c] != 'u')
				continue;
			memcpy(made + n, "00", 2);
			made[n + 2] = hex[c >> 4];
			made[n + 3] = hex[c & 15];
			n += 4;
		}
		if (!buf_add(b, made, n))
			return false;
	} while (n > 0);
	return true;
}

bool buf_json_escape(struct buf *b, struct str s)
{
	size_t start = b->len;

	for (size_t i = 0; i < s.n;) {
		size_t from = i;

		i += plain_run((const unsigned char *)s.p + i, s.n - i, PLAIN_HIGH);
		if (!buf_add(b, s.p + from, i - from) || !buf_add_escaped(b, s, &i)) {
			b->len = start;
			return false;
		}
	}
	return true;
}

bool buf_json_string(struct buf *b, struct str s)
{
	size_t start = b->len;

	if (buf_text(b, "\"") && buf_json_escape(b, s) && buf_text(b, "\""))
		return true;
	b->len = start;
	return false;
}

bool buf_starved(void)
{
	return errno == ENOMEM;
}

void buf_take_front(struct buf *b, size_t n)
{
	CHECK(n <= b->len);
	b->len -= n;
	if (b->len > 0)
		memmove(b->data, b->data + n, b->len);
}
