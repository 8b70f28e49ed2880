/* Checks base64 strictly, and recognizes formats of media by their first bytes. */
#include "lmc/media.h"

#include <ctype.h>
#include <stdint.h>
#include <strings.h>

enum {
	BAD = 0x80,      /* outside the six bits of a value */
	STEP = 16,       /* characters that are combined before a result is checked */
	HEAD_TEXT = 16,  /* characters that hold the first HEAD_BYTES of an image */
	HEAD_BYTES = 12, /* bytes that tell an image's kind */
	HEAD_MOST = 256, /* bytes of a data URL before its comma */
};

static const char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The value of each character; characters outside the alphabet are BAD. */
#define X4(a)  a, a, a, a
#define X16(a) X4(a), X4(a), X4(a), X4(a)
#define BAD16  X16(BAD)
static const uint8_t values[256] = {
	BAD16, BAD16, BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD, BAD, BAD, BAD, BAD, 62,
	BAD,   BAD,   BAD,   63,    52,    53,    54,    55,    56,  57,  58,  59,  60,  61,
	BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   BAD,   0,     1,   2,   3,   4,   5,   6,
	7,     8,     9,     10,    11,    12,    13,    14,    15,  16,  17,  18,  19,  20,
	21,    22,    23,    24,    25,    BAD,   BAD,   BAD,   BAD, BAD, BAD, 26,  27,  28,
	29,    30,    31,    32,    33,    34,    35,    36,    37,  38,  39,  40,  41,  42,
	43,    44,    45,    46,    47,    48,    49,    50,    51,  BAD, BAD, BAD, BAD, BAD,
	BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16,
};
#undef X4
#undef X16
#undef BAD16

static unsigned media_value(char c)
{
	return values[(unsigned char)c];
}

/* --- checking and decoding --- */

static bool are_letters(const char *p, size_t n)
{
	unsigned seen = 0;

	for (; n >= STEP; p += STEP, n -= STEP) {
		/* Two sums can be computed in parallel. */
		unsigned even = 0;
		unsigned odd = 0;

		for (size_t i = 0; i < STEP; i += 2) {
			even |= media_value(p[i]);
			odd |= media_value(p[i + 1]);
		}
		if ((even | odd) & BAD)
			return false;
	}
	for (size_t i = 0; i < n; i++)
		seen |= media_value(p[i]);
	return !(seen & BAD);
}

bool media_base64(struct str s)
{
	if (s.n == 0 || s.n % 4 != 0)
		return false;

	const char *end = s.p + s.n;
	size_t      pads = end[-1] != '=' ? 0 : end[-2] != '=' ? 1 : 2;
	if (!are_letters(s.p, s.n - pads))
		return false;
	switch (pads) {
	case 1: return (media_value(end[-2]) & 3) == 0;
	case 2: return (media_value(end[-3]) & 15) == 0;
	default: return true;
	}
}

const char *media_kind_base64(struct str s)
{
	unsigned char head[HEAD_BYTES];
	size_t        count = 0;
	unsigned      bits = 0;

	for (size_t i = 0; i < s.n && i < HEAD_TEXT && !(media_value(s.p[i]) & BAD); i++) {
		bits = (bits << 6 | media_value(s.p[i])) & 0xFFF;
		if (i % 4 == 0)
			continue; /* six bits do not make a byte */
		/* The last 4, 2 or 0 of the 12 bits belong to the next byte. */
		head[count++] = (unsigned char)(bits >> (6 - 2 * (i % 4)) & 0xFF);
	}
	return media_kind(head, count);
}

/* --- encoding --- */

bool media_encode(struct str bytes, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	size_t               n = bytes.n;

	if (n > SIZE_MAX / 2 || !buf_reserve(out, (n + 2) / 3 * 4))
		return false;
	if (n == 0)
		return true;

	char *to = out->data + out->len;
	for (; n >= 3; p += 3, n -= 3, to += 4) {
		unsigned bits = (unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2];

		to[0] = letters[bits >> 18];
		to[1] = letters[bits >> 12 & 63];
		to[2] = letters[bits >> 6 & 63];
		to[3] = letters[bits & 63];
	}
	if (n > 0) {
		unsigned bits = (unsigned)p[0] << 16 | (n == 2 ? (unsigned)p[1] << 8 : 0);

		to[0] = letters[bits >> 18];
		to[1] = letters[bits >> 12 & 63];
		to[2] = n == 2 ? letters[bits >> 6 & 63] : '=';
		to[3] = '=';
		to += 4;
	}
	out->len = (size_t)(to - out->data);
	return true;
}

bool media_decode(struct str base64, struct buf *out)
{
	if (!buf_reserve(out, base64.n / 4 * 3))
		return false;

	char *to = out->data + out->len;
	for (size_t i = 0; i + 4 <= base64.n; i += 4) {
		unsigned bits = 0;

		for (size_t k = 0; k < 4; k++) /* padding counts as zero bits */
			bits = bits << 6 | (media_value(base64.p[i + k]) & 63);
		*to++ = (char)(bits >> 16);
		*to++ = (char)(bits >> 8);
		*to++ = (char)bits;
	}
	for (size_t i = base64.n; i > 0 && base64.p[i - 1] == '='; i--)
		to--;
	out->len = (size_t)(to - out->data);
	return true;
}

/* --- first bytes --- */

const char *media_kind(const unsigned char *bytes, size_t n)
{
	static const struct {
		const char *kind;
		struct str  magic;     /* at 0 */
		struct str  magic_too; /* at 8; or empty */
	} kinds[] = {
		{ "png", { "\x89PNG\r\n\x1A\n", 8 }, { NULL, 0 } },
		{ "jpeg", { "\xFF\xD8\xFF", 3 }, { NULL, 0 } },
		{ "gif", { "GIF87a", 6 }, { NULL, 0 } },
		{ "gif", { "GIF89a", 6 }, { NULL, 0 } },
		{ "webp", { "RIFF", 4 }, { "WEBP", 4 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct str a = kinds[i].magic;
		struct str b = kinds[i].magic_too;

		if (n >= a.n && memcmp(bytes, a.p, a.n) == 0 &&
		    (b.n == 0 || (n >= 8 + b.n && memcmp(bytes + 8, b.p, b.n) == 0)))
			return kinds[i].kind;
	}
	return NULL;
}

/* An MPEG frame of layer III with an existing bit rate and sample rate, or an ID3 tag before it. */
static bool is_mp3(const unsigned char *b, size_t n)
{
	if (n >= 10 && memcmp(b, "ID3", 3) == 0)
		return b[3] >= 2 && b[3] <= 4 && b[4] != 0xFF &&
		       !((b[6] | b[7] | b[8] | b[9]) & 0x80);
	return n >= 4 && b[0] == 0xFF && (b[1] & 0xE0) == 0xE0 && (b[1] & 0x18) != 0x08 &&
	       (b[1] & 0x06) == 0x02 && (b[2] & 0xF0) != 0xF0 && (b[2] & 0x0C) != 0x0C;
}

const char *media_sound(const unsigned char *bytes, size_t n)
{
	if (n >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WAVE", 4) == 0)
		return "wav";
	return is_mp3(bytes, n) ? "mp3" : NULL;
}

/* --- media types --- */

bool media_type(struct str type, char ret[MEDIA_TYPE])
{
	static const struct {
		const char *used, *registered;
	} names[] = {
		{ "image/jpg", "image/jpeg" },
		{ "image/pjpeg", "image/jpeg" },
		{ "image/x-png", "image/png" },
		{ "application/x-pdf", "application/pdf" },
	};
	const char *end = type.n > 0 ? memchr(type.p, ';', type.n) : NULL;
	size_t      slashes = 0;

	type = str_trim((struct str){ type.p, end ? (size_t)(end - type.p) : type.n });
	if (type.n >= MEDIA_TYPE)
		return false;
	for (size_t i = 0; i < type.n; i++) {
		unsigned char c = (unsigned char)type.p[i];

		if (c >= 0x80 || (!isalnum(c) && !strchr("!#$&-^_.+/", c)))
			return false;
		slashes += c == '/';
		ret[i] = (char)tolower(c);
	}
	ret[type.n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(ret, names[i].used) == 0)
			str_copy(ret, MEDIA_TYPE, str_of(names[i].registered));
	return slashes == 1 && ret[0] != '/' && ret[type.n - 1] != '/';
}

bool media_may_be_text(struct str type)
{
	bool media = str_starts(type, STR("image/")) || str_starts(type, STR("audio/")) ||
		     str_starts(type, STR("video/")) || str_is(type, "application/pdf");

	/* An image/svg+xml is one. */
	return !media || memchr(type.p, '+', type.n);
}

bool media_is_data(struct str url)
{
	return url.n > 5 && strncasecmp(url.p, "data:", 5) == 0;
}

bool media_data(struct str url, char ret_type[MEDIA_TYPE], struct str *ret_data)
{
	static const char mark[] = ";base64";
	size_t            head = url.n < HEAD_MOST ? url.n : HEAD_MOST;
	const char       *comma = media_is_data(url) ? memchr(url.p, ',', head) : NULL;

	if (!comma || (size_t)(comma - url.p) < 5 + strlen(mark) ||
	    strncasecmp(comma - strlen(mark), mark, strlen(mark)) != 0)
		return false;

	struct str type = { url.p + 5, (size_t)(comma - strlen(mark) - url.p) - 5 };
	*ret_data = (struct str){ comma + 1, url.n - (size_t)(comma + 1 - url.p) };
	return media_type(type, ret_type) && media_base64(*ret_data);
}

/* --- picture: Finds and prints the images of an answer. */

bool picture_is(struct str part)
{
	return part.n > 0 && part.p[0] == '{' && memmem(part.p, part.n, "\"image_url\"", 11);
}

json_at picture_list(const struct json_doc *d, json_at message)
{
	json_at list = json_get(d, message, "images");

	return list != JSON_ABSENT && json_kind(d, list) == JSON_ARRAY && d->tok[list].count > 0
		       ? list
		       : JSON_ABSENT;
}

json_at picture_url(const struct json_doc *d, json_at part)
{
	json_at image = json_get(d, part, "image_url");
	json_at url = image != JSON_ABSENT && json_kind(d, image) == JSON_OBJECT
			      ? json_get(d, image, "url")
			      : image;

	return url != JSON_ABSENT && json_kind(d, url) == JSON_STRING ? url : JSON_ABSENT;
}

/* picture_read_url: the LMC format of an image, and its content from the URL; false: no image. */
static bool picture_read_url(struct str url, const char **ret_format, struct str *ret_content)
{
	static const struct {
		const char *type;
		const char *format;
	} kinds[] = {
		{ "image/png", "base64.png" },
		{ "image/jpeg", "base64.jpeg" },
		{ "image/gif", "base64.gif" },
		{ "image/webp", "base64.webp" },
	};
	char type[MEDIA_TYPE];

	if (media_data(url, type, ret_content))
		for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
			if (strcmp(type, kinds[i].type) == 0) {
				*ret_format = kinds[i].format;
				return true;
			}
	*ret_format = "url";
	*ret_content = url;
	return str_starts(url, STR("https://")) || str_starts(url, STR("http://"));
}

bool picture_read(const struct json_doc *d, json_at part, struct media_picture *ret)
{
	json_at              url = picture_url(d, part);
	struct media_picture p = { 0 };

	if (url == JSON_ABSENT)
		return false;
	struct str text = json_inner(d, url);
	bool       ok = true;
	buf_init(&p.plain, text.n);
	if (d->tok[url].flags & JSON_ESCAPED) {
		ok = json_unescape(text, &p.plain);
		text = buf_view(&p.plain);
	}
	if (ok && picture_read_url(text, &p.format, &p.content)) {
		*ret = p;
		return true;
	}
	buf_finish(&p.plain);
	return false;
}

void picture_finish(struct media_picture *p)
{
	buf_finish(&p->plain);
}

bool picture_format(const struct media_picture *p, struct buf *out)
{
	return buf_fmt(out, ",\"format\":\"%s\"", p->format);
}

bool picture_content(const struct media_picture *p, struct buf *out)
{
	return buf_text(out, ",\"content\":") && buf_json_string(out, p->content);
}
