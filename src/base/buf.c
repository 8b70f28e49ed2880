/* A growing byte buffer, born with a maximum. */
#include "base/buf.h"

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
	if (!buf_reserve(b, len))
		return false;
	if (len > 0)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	return true;
}

bool buf_str(struct buf *b, struct str s)
{
	return buf_add(b, s.p, s.n);
}

bool buf_text(struct buf *b, const char *text)
{
	return buf_add(b, text, strlen(text));
}

bool buf_int(struct buf *b, int64_t v)
{
	char  text[24];
	char *p = text + sizeof text;
	/* -INT64_MIN does not exist: work on the unsigned magnitude. */
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u > 0);
	if (v < 0)
		*--p = '-';
	return buf_add(b, p, (size_t)(text + sizeof text - p));
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

static bool is_special(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

/* special_from: where the first byte that has to be escaped stands, at i or behind it; s.n: there
 * is none.  Eight bytes at a time as long as none is among them. */
static size_t special_from(struct str s, size_t i)
{
	const uint64_t ones = UINT64_MAX / 255;

	for (uint64_t w; s.n - i >= sizeof w; i += sizeof w) {
		memcpy(&w, s.p + i, sizeof w);
		uint64_t quote = w ^ ones * '"';
		uint64_t slash = w ^ ones * '\\';
		/* A byte's highest bit is set where the byte is below 0x20, or zero in the other two;
		 * a carry sets more of them, but only above such a byte. */
		uint64_t found = ((w - ones * 0x20) & ~w) | ((quote - ones) & ~quote) |
				 ((slash - ones) & ~slash);

		if (found & ones * 0x80)
			break;
	}
	while (i < s.n && !is_special((unsigned char)s.p[i]))
		i++;
	return i;
}

bool buf_json_escape(struct buf *b, struct str s)
{
	static const char hex[] = "0123456789abcdef";
	size_t            start = b->len;
	size_t            from = 0;

	if (s.n == 0)
		return true; /* and s.p may be NULL */
	for (size_t i = special_from(s, 0); i < s.n; i = special_from(s, i + 1)) {
		unsigned char c = (unsigned char)s.p[i];
		char          esc[6] = { '\\', 0, 0, 0, 0, 0 };
		size_t        n = 2;

		if (c == '"' || c == '\\') {
			esc[1] = (char)c;
		} else if (c == '\n') {
			esc[1] = 'n';
		} else if (c == '\r') {
			esc[1] = 'r';
		} else if (c == '\t') {
			esc[1] = 't';
		} else {
			memcpy(esc + 1, "u00", 3);
			esc[4] = hex[c >> 4];
			esc[5] = hex[c & 15];
			n = 6;
		}
		if (!buf_add(b, s.p + from, i - from) || !buf_add(b, esc, n)) {
			b->len = start;
			return false;
		}
		from = i + 1;
	}
	if (!buf_add(b, s.p + from, s.n - from)) {
		b->len = start;
		return false;
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
