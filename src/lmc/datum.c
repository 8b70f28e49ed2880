/* Reads data as far as it can be a text. */
#include "lmc/datum.h"

#include "json/scan.h"
#include "lmc/media.h"

#include <string.h>
#include <strings.h>

enum {
	WORD_MOST = 64, /* characters of base64 that may be a word */
	FRONT = 1024, /* characters that are looked at first: most media are known for none by them */
	FRONT_CUT = 3,    /* bytes at their end that may begin a character */
	NO_LETTER = 0xff, /* no value of base64, like the next one */
	WHITE = 0xfe,
};

/* --- types --- */

enum type_is {
	TYPE_UNKNOWN, /* there is none */
	TYPE_MEDIA,
	TYPE_TEXT,
	TYPE_OTHER,
};

static bool type_starts(struct str type, struct str with)
{
	return type.n >= with.n && strncasecmp(type.p, with.p, with.n) == 0;
}

static bool type_ends(struct str type, struct str with)
{
	return type.n >= with.n && strncasecmp(type.p + type.n - with.n, with.p, with.n) == 0;
}

static enum type_is type_of(struct str type)
{
	static const struct str media[] = { { "image/", 6 },
					    { "audio/", 6 },
					    { "video/", 6 },
					    { "application/pdf", 15 },
					    { "application/x-pdf", 17 } };
	static const struct str texts[] = { { "text/", 5 },
					    { "application/json", 16 },
					    { "application/xml", 15 } };
	const char             *end = type.n > 0 ? memchr(type.p, ';', type.n) : NULL;

	if (end)
		type.n = (size_t)(end - type.p);
	type = str_trim(type);
	if (type.n == 0)
		return TYPE_UNKNOWN;
	if (type_ends(type, STR("+xml")) || type_ends(type, STR("+json")))
		return TYPE_TEXT;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (type_starts(type, texts[i]))
			return TYPE_TEXT;
	for (size_t i = 0; i < ARRAY_LEN(media); i++)
		if (type_starts(type, media[i]))
			return TYPE_MEDIA;
	return TYPE_OTHER;
}

/* --- base64 --- */

static unsigned letter_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0') + 52;
	switch (c) {
	case '+':
	case '-': return 62;
	case '/':
	case '_': return 63;
	case ' ':
	case '\t':
	case '\r':
	case '\n': return WHITE;
	default: return NO_LETTER;
	}
}

/* datum_decode: appends the bytes of base64; false: it is none, or memory is short. */
static bool datum_decode(struct str base64, struct buf *out)
{
	unsigned bits = 0, count = 0;

	while (base64.n > 0 &&
	       (base64.p[base64.n - 1] == '=' || letter_value(base64.p[base64.n - 1]) == WHITE))
		base64.n--;
	if (!buf_reserve(out, base64.n / 4 * 3 + 3))
		return false;
	for (size_t i = 0; i < base64.n; i++) {
		unsigned v = letter_value(base64.p[i]);

		if (v == NO_LETTER)
			return false;
		if (v == WHITE)
			continue;
		bits = bits << 6 | v;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		out->data[out->len++] = (char)(bits >> count & 0xff);
	}
	return count < 6;
}

/* datum_is_text: whether bytes are a text.  cut: they may end within a character. */
static bool datum_is_text(struct str bytes, bool cut)
{
	if (bytes.n > 0 && memchr(bytes.p, '\0', bytes.n))
		return false;
	for (size_t less = 0; less <= (cut ? FRONT_CUT : 0) && less <= bytes.n; less++)
		if (utf8_valid(bytes.p, bytes.n - less))
			return true;
	return false;
}

/* datum_no_text: what bytes of a type are, if they are no text. */
static enum datum_is datum_no_text(enum type_is type)
{
	return type == TYPE_TEXT ? DATUM_HIDDEN : DATUM_BYTES;
}

/* datum_is_of: what bytes are; cut: they are the first ones. */
static enum datum_is datum_is_of(struct str bytes, enum type_is type, bool cut)
{
	if (bytes.n == 0 && !cut)
		return DATUM_NOT;
	if (type != TYPE_TEXT && str_starts(bytes, STR("%PDF-")))
		return DATUM_BYTES;
	return datum_is_text(bytes, cut) ? DATUM_TEXT : datum_no_text(type);
}

/* datum_of_base64: out: empty, with room for the bytes. */
static enum datum_is datum_of_base64(struct str base64, enum type_is type, struct buf *out)
{
	bool          cut = base64.n > FRONT;
	struct str    front = { base64.p, cut ? FRONT : base64.n };
	enum datum_is is;

	for (;;) {
		buf_clear(out);
		/* A front may end within four characters. */
		if (!datum_decode(front, out) && !(cut && out->len >= FRONT / 2))
			return type == TYPE_MEDIA || type == TYPE_UNKNOWN ? DATUM_NOT
									  : DATUM_HIDDEN;
		is = datum_is_of(buf_view(out), type, cut);
		if (!cut || is != DATUM_TEXT)
			return is;
		cut = false;
		front = base64;
	}
}

struct datum datum_base64(struct str escaped, struct str type, struct buf *text)
{
	struct datum ret = { .is = DATUM_HIDDEN, .word = escaped.n < WORD_MOST };
	struct buf   plain, plain_type;

	buf_init(&plain, escaped.n + 1);
	buf_init(&plain_type, type.n + 1);
	if (json_unescape(escaped, &plain) && json_unescape(type, &plain_type))
		ret.is = datum_of_base64(buf_view(&plain), type_of(buf_view(&plain_type)), text);
	buf_finish(&plain);
	buf_finish(&plain_type);
	return ret;
}

/* --- data URLs --- */

/* A data URL: data:HEAD,DATA, or data:HEAD;base64,DATA. */
struct data_url {
	struct str head, data;
	bool       base64;
};

/* data_url_of: false: it is none. */
static bool data_url_of(struct str url, struct data_url *ret)
{
	static const struct str mark = { ";base64", 7 };

	url = str_trim(url);
	if (!media_is_data(url))
		return false;
	const char *comma = memchr(url.p, ',', url.n);
	if (!comma)
		return false;
	ret->head = (struct str){ url.p + 5, (size_t)(comma - url.p) - 5 };
	ret->data = (struct str){ comma + 1, url.n - (size_t)(comma + 1 - url.p) };
	ret->base64 = type_ends(ret->head, mark);
	if (ret->base64)
		ret->head.n -= mark.n;
	return true;
}

static bool head_is_plain(struct str head)
{
	const char *rest = head.n > 0 ? memchr(head.p, ';', head.n) : NULL;

	return head.n < WORD_MOST &&
	       (!rest || type_starts((struct str){ rest, head.n - (size_t)(rest - head.p) },
				     STR(";charset=utf-8")));
}

static unsigned datum_hex(char c)
{
	return c >= '0' && c <= '9'                     ? (unsigned)(c - '0')
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (unsigned)((c | 0x20) - 'a') + 10
							: NO_LETTER;
}

/* datum_put_bytes: the bytes of what may have %XX. */
static bool datum_put_bytes(struct str data, struct buf *out)
{
	if (!buf_reserve(out, data.n + 1))
		return false;
	for (size_t i = 0; i < data.n; i++) {
		bool hex = data.p[i] == '%' && i + 2 < data.n &&
			   datum_hex(data.p[i + 1]) != NO_LETTER &&
			   datum_hex(data.p[i + 2]) != NO_LETTER;

		out->data[out->len++] =
			hex ? (char)(datum_hex(data.p[i + 1]) << 4 | datum_hex(data.p[i + 2]))
			    : data.p[i];
		i += hex ? 2 : 0;
	}
	return true;
}

/* datum_of_url: plain: a data URL without escapes. */
static enum datum_is datum_of_url(const struct data_url *u, struct buf *text)
{
	enum type_is  type = type_of(u->head);
	enum datum_is is = DATUM_HIDDEN;
	struct buf    bytes;

	if (type == TYPE_UNKNOWN) /* a text/plain */
		type = TYPE_OTHER;
	if (u->base64 && !memchr(u->data.p, '%', u->data.n))
		return datum_of_base64(u->data, type, text);
	buf_init(&bytes, u->data.n + 1);
	if (!datum_put_bytes(u->data, u->base64 ? &bytes : text))
		is = DATUM_HIDDEN;
	else if (u->base64)
		is = datum_of_base64(buf_view(&bytes), type, text);
	else
		is = datum_is_of(buf_view(text), type, false);
	buf_finish(&bytes);
	return is;
}

struct datum datum_url(struct str escaped, struct buf *text)
{
	struct datum    ret = { .is = DATUM_HIDDEN };
	struct data_url u;
	struct buf      plain;

	buf_init(&plain, escaped.n + 1);
	if (json_unescape(escaped, &plain)) {
		ret.is = DATUM_NOT;
		if (data_url_of(buf_view(&plain), &u)) {
			ret.is = datum_of_url(&u, text);
			ret.word = !head_is_plain(u.head);
		}
	}
	buf_finish(&plain);
	return ret;
}

bool datum_put(struct str escaped, struct str now, struct buf *out)
{
	struct data_url u;
	struct buf      plain, text;

	buf_init(&plain, escaped.n + 1);
	buf_init(&text, now.n + 1);
	bool ok = json_unescape(escaped, &plain) && json_unescape(now, &text);
	if (ok && data_url_of(buf_view(&plain), &u))
		ok = buf_text(out, "data:") && buf_json_escape(out, u.head) &&
		     buf_text(out, ";base64,");
	ok = ok && media_encode(buf_view(&text), out);
	buf_finish(&plain);
	buf_finish(&text);
	return ok;
}
