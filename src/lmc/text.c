/* Decodes strings of JSON and prints them again, without losing half of a surrogate pair. */
#include "lmc/text.h"

#include "base/utf8.h"

/* A surrogate has three bytes here: first halves begin with ED A0 to ED AF, second halves with ED
 * B0 to ED BF. In UTF-8 itself, no byte above 9F follows ED. */
static bool text_is_half(const char *p, unsigned char least, unsigned char most)
{
	unsigned char second = (unsigned char)p[1];

	return (unsigned char)p[0] == 0xed && second >= least && second <= most;
}

static bool is_first_half(const char *p)
{
	return text_is_half(p, 0xa0, 0xaf);
}

static bool text_is_second_half(const char *p)
{
	return text_is_half(p, 0xb0, 0xbf);
}

static unsigned half_value(const char *p)
{
	return 0xd000u | ((unsigned)p[1] & 0x3f) << 6 | ((unsigned)p[2] & 0x3f);
}

/* --- decoding --- */

/* join_pair: makes one character of the first half at the end of out and the second half v. */
static void join_pair(struct buf *out, unsigned v)
{
	unsigned first = half_value(out->data + out->len - 3);
	unsigned c = 0x10000 + ((first - 0xd800) << 10) + (v - 0xdc00);

	out->len += utf8_put(out->data + out->len - 3, c) - 3;
}

static bool ends_in_first_half(const struct buf *out)
{
	return out->len >= 3 && is_first_half(out->data + out->len - 3);
}

static bool add_unit(struct buf *out, unsigned v)
{
	char at[4];

	if (v < 0xdc00 || v > 0xdfff || !ends_in_first_half(out))
		return buf_add(out, at, utf8_put(at, v));
	if (!buf_reserve(out, 1))
		return false;
	join_pair(out, v);
	return true;
}

static unsigned plain_escape(char c)
{
	switch (c) {
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	default: return (unsigned char)c;
	}
}

/* escape_length: the length of the escape at p, with `left` bytes to the end; 0: no escape. */
static size_t escape_length(const char *p, size_t left)
{
	if (left < 2)
		return 0;
	if (p[1] != 'u')
		return 2;
	for (size_t i = 2; i < 6; i++)
		if (i >= left || !strchr("0123456789abcdefABCDEF", p[i]) || p[i] == '\0')
			return 0;
	return 6;
}

bool text_add(struct buf *out, struct str escaped)
{
	size_t start = out->len;
	char   last[3]; /* the bytes that a joined pair overwrites */

	if (start >= sizeof last)
		memcpy(last, out->data + start - sizeof last, sizeof last);
	while (escaped.n > 0) {
		const char *slash = memchr(escaped.p, '\\', escaped.n);
		size_t      run = slash ? (size_t)(slash - escaped.p) : escaped.n;
		size_t      used = run;
		bool        ok = buf_add(out, escaped.p, run);

		if (ok && slash) {
			size_t n = escape_length(slash, escaped.n - run);

			ok = n > 0 &&
			     add_unit(out, n == 6 ? utf8_hex4(slash + 2) : plain_escape(slash[1]));
			used += n;
		}
		if (!ok) {
			out->len = start;
			if (start >= sizeof last)
				memcpy(out->data + start - sizeof last, last, sizeof last);
			return false;
		}
		escaped.p += used;
		escaped.n -= used;
	}
	return true;
}

bool text_join(struct buf *out, struct str text)
{
	if (text.n < 3 || !text_is_second_half(text.p) || !ends_in_first_half(out))
		return buf_str(out, text);
	/* A pair is two bytes shorter than its halves. */
	if (!buf_reserve(out, text.n - 2))
		return false;
	join_pair(out, half_value(text.p));
	return buf_add(out, text.p + 3, text.n - 3);
}

/* --- printing --- */

static bool put_half(struct buf *out, const char *half)
{
	static const char hex[] = "0123456789abcdef";
	unsigned          v = half_value(half);
	char escape[6] = { '\\', 'u', 'd', hex[v >> 8 & 15], hex[v >> 4 & 15], hex[v & 15] };

	return buf_add(out, escape, sizeof escape);
}

bool text_put(struct buf *out, struct str text)
{
	size_t start = out->len;

	while (text.n > 0) {
		const char *at = text.p;
		size_t      left = text.n;

		/* Halves are rare; all other text is escaped as usual. */
		while (left > 0) {
			const char *next = memchr(at, '\xed', left);

			left = next ? left - (size_t)(next - at) : 0;
			at = next ? next : at;
			if (left >= 3 && (is_first_half(at) || text_is_second_half(at)))
				break;
			if (left > 0) {
				at++;
				left--;
			}
		}

		struct str run = { text.p, text.n - left };
		if (!buf_json_escape(out, run) || (left > 0 && !put_half(out, at))) {
			out->len = start;
			return false;
		}
		size_t used = run.n + (left > 0 ? 3 : 0);
		text.p += used;
		text.n -= used;
	}
	return true;
}

bool text_quote(struct buf *out, struct str text)
{
	size_t start = out->len;

	if (buf_text(out, "\"") && text_put(out, text) && buf_text(out, "\""))
		return true;
	out->len = start;
	return false;
}

/* --- values --- */

bool text_of(const struct json_doc *d, json_at i, struct buf *out)
{
	size_t start = out->len;

	if (json_kind(d, i) == JSON_STRING)
		return text_add(out, json_inner(d, i));
	if (json_kind(d, i) == JSON_NULL || json_print(d, i, out))
		return true;
	out->len = start;
	return false;
}

bool text_view(const struct json_doc *d, json_at i, struct buf *out, struct str *ret)
{
	if (json_kind(d, i) == JSON_STRING && !(d->tok[i].flags & JSON_ESCAPED)) {
		*ret = json_inner(d, i);
		return true;
	}
	buf_clear(out);
	if (!text_of(d, i, out))
		return false;
	*ret = buf_view(out);
	return true;
}

/* --- looking --- */

struct str text_trim(struct str s)
{
	while (s.n > 0 && text_is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && text_is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

static struct str without_braces(struct str s)
{
	while (s.n > 0 && (s.p[0] == '{' || s.p[0] == '}')) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && (s.p[s.n - 1] == '{' || s.p[s.n - 1] == '}'))
		s.n--;
	return s;
}

bool text_language(struct str s, struct buf *out)
{
	size_t start = out->len;

	s = text_trim(without_braces(text_trim(s)));
	for (size_t i = 0; i < s.n && !text_is_space(s.p[i]); i++) {
		char c = s.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
			    c == '+' || c == '#' || c == '.' || c == '-';
		if (kept && !buf_add(out, &c, 1)) {
			out->len = start;
			return false;
		}
	}
	return out->len > start || buf_text(out, "python");
}

size_t text_ticks(struct str s)
{
	size_t most = 0;

	while (s.n > 0) {
		const char *tick = memchr(s.p, '`', s.n);
		size_t      run = 0;

		if (!tick)
			break;
		s.n -= (size_t)(tick - s.p);
		while (run < s.n && tick[run] == '`')
			run++;
		most = run > most ? run : most;
		s = (struct str){ tick + run, s.n - run };
	}
	return most;
}

size_t text_whole(struct str s)
{
	if (s.n == 0 || !(s.p[s.n - 1] & 0x80))
		return s.n;
	if (s.n >= 3 && is_first_half(s.p + s.n - 3))
		return s.n - 3;
	/* The lead byte of the last character is among the last three bytes. */
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = (unsigned char)s.p[s.n - back];

		if (c >= 0xc0)
			return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? s.n - back : s.n;
		if (c < 0x80)
			break;
	}
	return s.n;
}
