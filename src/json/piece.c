/* The values of strings: escapes are decoded piece by piece, for copying, comparing and
 * measuring. */
#include "json/internal.h"

#include "base/buf.h"
#include "base/utf8.h"

static void piece_skip(struct str *s, size_t n)
{
	s->p += n;
	s->n -= n;
}

/* Starts after the \u of a character's first half, and takes the second half too if there is
 * one. */
static struct str unicode_piece(struct str *inner, char tmp[4])
{
	enum { REPLACEMENT = 0xfffd };
	unsigned v = utf8_hex4(inner->p);

	piece_skip(inner, 4);
	if (v >= 0xd800 && v <= 0xdfff) {
		unsigned low = 0;

		if (v < 0xdc00 && inner->n >= 6 && inner->p[0] == '\\' && inner->p[1] == 'u')
			low = utf8_hex4(inner->p + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			piece_skip(inner, 6);
			v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
		} else {
			v = REPLACEMENT;
		}
	}
	return (struct str){ tmp, utf8_put(tmp, v) };
}

struct str json_piece(struct str *inner, char tmp[4])
{
	if (inner->p[0] != '\\') {
		const char *slash = memchr(inner->p, '\\', inner->n);
		struct str  run = { inner->p, slash ? (size_t)(slash - inner->p) : inner->n };

		piece_skip(inner, run.n);
		return run;
	}

	CHECK(inner->n >= 2);
	char c = inner->p[1];
	piece_skip(inner, 2);
	if (c == 'u') {
		CHECK(inner->n >= 4);
		return unicode_piece(inner, tmp);
	}
	switch (c) {
	case 'b': tmp[0] = '\b'; break;
	case 'f': tmp[0] = '\f'; break;
	case 'n': tmp[0] = '\n'; break;
	case 'r': tmp[0] = '\r'; break;
	case 't': tmp[0] = '\t'; break;
	default: tmp[0] = c; break;
	}
	return (struct str){ tmp, 1 };
}

size_t json_size(const struct json_doc *d, json_at i)
{
	struct str inner = json_inner(d, i);
	size_t     n = 0;
	char       tmp[4];

	if (!(d->tok[i].flags & JSON_ESCAPED))
		return inner.n;
	while (inner.n > 0)
		n += json_piece(&inner, tmp).n;
	return n;
}

bool json_same(struct str inner, struct str text)
{
	char tmp[4];

	while (inner.n > 0) {
		struct str piece = json_piece(&inner, tmp);

		if (!str_starts(text, piece))
			return false;
		piece_skip(&text, piece.n);
	}
	return text.n == 0;
}

struct str json_key(const struct json_doc *d, json_at key, char tmp[LIMIT_JSON_KEY])
{
	struct str inner = json_inner(d, key);
	size_t     used = 0;
	char       bytes[4];

	if (!(d->tok[key].flags & JSON_ESCAPED))
		return inner.n <= LIMIT_JSON_KEY ? inner : STR_NONE;
	while (inner.n > 0) {
		struct str piece = json_piece(&inner, bytes);

		if (piece.n > LIMIT_JSON_KEY - used)
			return STR_NONE;
		memcpy(tmp + used, piece.p, piece.n);
		used += piece.n;
	}
	return (struct str){ tmp, used };
}

bool json_unescape(struct str inner, struct buf *out)
{
	size_t start = out->len;
	char   tmp[4];

	while (inner.n > 0)
		if (!buf_str(out, json_piece(&inner, tmp))) {
			out->len = start;
			return false;
		}
	return true;
}

bool json_text(const struct json_doc *d, json_at i, struct arena *a, struct str *ret)
{
	if (json_kind(d, i) != JSON_STRING)
		return false;
	if (!(d->tok[i].flags & JSON_ESCAPED)) {
		*ret = json_inner(d, i);
		return true;
	}

	/* The length comes first, because the arena can't take back what a guess took too much. */
	size_t n = json_size(d, i);
	char  *copy = arena_alloc(a, n + 1);
	if (!copy)
		return false;

	char  tmp[4];
	char *at = copy;
	for (struct str inner = json_inner(d, i); inner.n > 0;) {
		struct str piece = json_piece(&inner, tmp);

		memcpy(at, piece.p, piece.n);
		at += piece.n;
	}
	*ret = (struct str){ copy, n };
	return true;
}
