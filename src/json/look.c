/* Reads the tape of a scan: members by key, and the values of scalars. */
#include "json/internal.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/utf8.h"
#include "json/scan.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

static bool has_value(const struct json_doc *d, json_at i, struct str text)
{
	struct str inner = json_inner(d, i);

	return d->tok[i].flags & JSON_ESCAPED ? json_same(inner, text) : str_eq(inner, text);
}

json_at json_get_str(const struct json_doc *d, json_at obj, struct str key)
{
	if (d->count == 0 || json_kind(d, obj) != JSON_OBJECT)
		return JSON_ABSENT;
	JSON_EACH_MEMBER (i, d, obj)
		if (has_value(d, i, key))
			return json_value(i);
	return JSON_ABSENT;
}

json_at json_get_some(const struct json_doc *d, json_at obj, const char *key)
{
	json_at i = json_get(d, obj, key);

	return i != JSON_ABSENT && json_kind(d, i) == JSON_NULL ? JSON_ABSENT : i;
}

struct str json_get_inner(const struct json_doc *d, json_at obj, const char *key)
{
	return json_inner_of(d, json_get(d, obj, key));
}

bool json_get_is(const struct json_doc *d, json_at obj, const char *key, const char *text)
{
	json_at i = json_get(d, obj, key);

	return i != JSON_ABSENT && json_is(d, i, text);
}

bool json_is_str(const struct json_doc *d, json_at i, struct str text)
{
	return json_kind(d, i) == JSON_STRING && has_value(d, i, text);
}

/* Tokens are in the order of the text. */
json_at json_spanned(const struct json_doc *d, struct str raw)
{
	uint32_t from = 1;
	uint32_t to = d->count;

	if (d->count == 0 || raw.p < d->text || raw.p >= d->text + d->len)
		return JSON_ABSENT;

	size_t at = (size_t)(raw.p - d->text);
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (d->tok[mid].at < at)
			from = mid + 1;
		else
			to = mid;
	}
	return from < d->count && d->tok[from].at == at && d->tok[from].len == raw.n ? from
										     : JSON_ABSENT;
}

bool json_int(const struct json_doc *d, json_at i, int64_t *ret)
{
	if (json_kind(d, i) != JSON_NUMBER || !(d->tok[i].flags & JSON_INTEGER))
		return false;

	struct str raw = json_raw(d, i);
	bool       negative = raw.p[0] == '-';
	/* The smallest integer has a magnitude that is one more than that of the largest. */
	uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	uint64_t v = 0;

	for (size_t k = negative ? 1 : 0; k < raw.n; k++) {
		uint64_t digit = (uint64_t)(raw.p[k] - '0');

		if (v > (most - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool json_number(const struct json_doc *d, json_at i, double *ret)
{
	/* strtod needs a terminated copy; no parameter of a request needs more digits than this. */
	char text[512];

	if (json_kind(d, i) != JSON_NUMBER)
		return false;

	struct str raw = json_raw(d, i);
	if (raw.n >= sizeof text)
		return false;
	memcpy(text, raw.p, raw.n);
	text[raw.n] = '\0';

	double v = strtod(text, NULL);
	if (!isfinite(v))
		return false;
	*ret = v;
	return true;
}

/* --- piece: The values of strings: escapes are decoded piece by piece, for copying, comparing and
 * measuring. */

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

/* json_piece: takes the next piece of the value off *inner (validated string bytes, not empty): a
 * run without escapes, borrowed from the text, or one decoded escape, kept in tmp. */
static struct str json_piece(struct str *inner, char tmp[4])
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

/* --- print: Prints a scanned value from its tape, without building a tree. */

static bool print_is_half(struct str inner, const char *least, const char *most)
{
	return inner.n >= 6 && inner.p[0] == '\\' && inner.p[1] == 'u' &&
	       strncasecmp(inner.p + 2, least, 2) >= 0 && strncasecmp(inner.p + 2, most, 2) <= 0;
}

/* is_lone: half of a surrogate pair, escaped and alone. UTF-8 has no form for it, so the escape
 * stays. */
static bool is_lone(struct str inner)
{
	struct str behind = { inner.p + 6, inner.n < 6 ? 0 : inner.n - 6 };

	return print_is_half(inner, "dc", "df") ||
	       (print_is_half(inner, "d8", "db") && !print_is_half(behind, "dc", "df"));
}

static bool print_string(const struct json_doc *d, json_at i, struct buf *out)
{
	struct str inner = json_inner(d, i);
	char       tmp[4];

	if (!(d->tok[i].flags & JSON_ESCAPED))
		return buf_str(out, json_raw(d, i));
	if (!buf_text(out, "\""))
		return false;
	while (inner.n > 0) {
		if (is_lone(inner)) {
			if (!buf_add(out, inner.p, 6))
				return false;
			inner = (struct str){ inner.p + 6, inner.n - 6 };
			continue;
		}
		struct str piece = json_piece(&inner, tmp);

		/* A piece of the text itself needs no escape: the scan has refused every byte that
		 * does. */
		if (!(piece.p == tmp ? buf_json_escape(out, piece) : buf_str(out, piece)))
			return false;
	}
	return buf_text(out, "\"");
}

static bool json_print_array(const struct json_doc *d, json_at array, struct buf *out)
{
	if (!buf_text(out, "["))
		return false;
	JSON_EACH (i, d, array)
		if ((i != json_first(d, array) && !buf_text(out, ",")) || !json_print(d, i, out))
			return false;
	return buf_text(out, "]");
}

static bool json_print_object(const struct json_doc *d, json_at object, struct buf *out)
{
	if (!buf_text(out, "{"))
		return false;
	JSON_EACH_MEMBER (i, d, object)
		if ((i != json_first(d, object) && !buf_text(out, ",")) ||
		    !print_string(d, i, out) || !buf_text(out, ":") ||
		    !json_print(d, json_value(i), out))
			return false;
	return buf_text(out, "}");
}

/* The recursion is bounded: the scan has limited the depth. */
bool json_print(const struct json_doc *d, json_at i, struct buf *out)
{
	switch (json_kind(d, i)) {
	case JSON_NULL:
	case JSON_FALSE:
	case JSON_TRUE:
	case JSON_NUMBER: return buf_str(out, json_raw(d, i));
	case JSON_STRING: return print_string(d, i, out);
	case JSON_ARRAY: return json_print_array(d, i, out);
	case JSON_OBJECT: return json_print_object(d, i, out);
	}
	return false;
}

/* --- unique: Finds duplicate keys of an object, in a time that is linear in the number of keys. */

enum { FEW = 16, SLOTS_AT_HAND = 64 };

/* SipHash-1-3 has a secret key, so that no client can choose keys that all share one slot. */
struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate_left(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate_left(s->v1, 13) ^ s->v0;
	s->v3 = rotate_left(s->v3, 16) ^ s->v2;
	s->v0 = rotate_left(s->v0, 32) + s->v3;
	s->v2 += s->v1;
	s->v3 = rotate_left(s->v3, 21) ^ s->v0;
	s->v1 = rotate_left(s->v1, 17) ^ s->v2;
	s->v2 = rotate_left(s->v2, 32);
}

static uint32_t unique_hash(struct str key, const uint64_t secret[2])
{
	struct sip s = { secret[0] ^ 0x736f6d6570736575ull, secret[1] ^ 0x646f72616e646f6dull,
			 secret[0] ^ 0x6c7967656e657261ull, secret[1] ^ 0x7465646279746573ull };
	size_t     at = 0;
	uint64_t   w;

	for (; key.n - at >= 8; at += 8) {
		memcpy(&w, key.p + at, 8);
		s.v3 ^= w;
		sip_round(&s);
		s.v0 ^= w;
	}
	unsigned char tail[8] = { [7] = (unsigned char)key.n };
	if (key.n > at)
		memcpy(tail, key.p + at, key.n - at);
	memcpy(&w, tail, sizeof w);
	s.v3 ^= w;
	sip_round(&s);
	s.v0 ^= w;
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	w = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
	return (uint32_t)(w ^ w >> 32);
}

struct slot {
	uint32_t hash;
	uint32_t key; /* 0: free; no key is token 0 */
};

static json_at find_twin(const struct json_doc *d, json_at obj, struct slot *slots, uint32_t mask)
{
	const uint64_t secret[2] = { id_random(), id_random() };
	char           tmp[LIMIT_JSON_KEY];
	char           other[LIMIT_JSON_KEY];

	JSON_EACH_MEMBER (i, d, obj) {
		struct str key = json_key(d, i, tmp);
		uint32_t   h = unique_hash(key, secret);
		uint32_t   at = h & mask;

		for (; slots[at].key; at = (at + 1) & mask)
			if (slots[at].hash == h && str_eq(json_key(d, slots[at].key, other), key))
				return i;
		slots[at] = (struct slot){ h, i };
	}
	return JSON_ABSENT;
}

static enum errc unique_many(const struct json_doc *d, json_at obj, json_at *ret)
{
	struct slot  at_hand[SLOTS_AT_HAND] = { 0 };
	struct slot *slots = at_hand;
	size_t       n = SLOTS_AT_HAND;

	while (n < (size_t)d->tok[obj].count * 2)
		n *= 2;
	if (n > SLOTS_AT_HAND)
		slots = calloc(n, sizeof *slots);
	if (!slots)
		return ERR_OVERLOADED;
	*ret = find_twin(d, obj, slots, (uint32_t)(n - 1));
	if (slots != at_hand)
		free(slots);
	return ERR_OK;
}

enum errc json_unique(const struct json_doc *d, json_at obj, json_at *ret)
{
	struct str seen[FEW];
	size_t     n = 0;

	if (d->tok[obj].count > FEW)
		return unique_many(d, obj, ret);

	JSON_EACH_MEMBER (i, d, obj) {
		struct str key = json_inner(d, i);

		if (d->tok[i].flags & JSON_ESCAPED)
			return unique_many(d, obj, ret);
		for (size_t k = 0; k < n; k++)
			if (str_eq(seen[k], key)) {
				*ret = i;
				return ERR_OK;
			}
		seen[n++] = key;
	}
	*ret = JSON_ABSENT;
	return ERR_OK;
}
