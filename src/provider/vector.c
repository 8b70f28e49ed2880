/* Numbers to floats, floats to bytes, bytes to base64, and back. */
#include "provider/vector.h"

#include "lmc/media.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>

enum {
	CHUNK = 768,     /* floats at once; a multiple of 3 bytes, so that base64 has no padding */
	GROUP_TEXT = 16, /* characters of base64 that encode whole floats */
	GROUP = 3,       /* floats of so many characters */
	NUMBER_MAX = 24, /* bytes of a float as text, with its comma */
};

/* --- numbers --- */

/* All powers of ten that a double represents exactly. */
static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
			       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
			       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* vector_quick: a double represents whole numbers up to 2^53 exactly too, so that one operation
 * rounds only once. False: strtod is needed, which takes ten times as long. */
static bool vector_quick(uint64_t whole, int64_t power, double *ret)
{
	if (whole > (uint64_t)1 << 53 || power < -22 || power > 22)
		return false;
	*ret = power < 0 ? (double)whole / tens[-power] : (double)whole * tens[power];
	return true;
}

static const char *read_power(const char *p, const char *end, int64_t *power)
{
	bool    minus = false;
	int64_t n = 0;

	p++;
	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		n = n < 100000 ? n * 10 + (*p - '0') : n;
	*power += minus ? -n : n;
	return p;
}

/* read_number: p: the first byte of a number. At the latest, the array's bracket ends the number,
 * so that strtod stops there. Returns the first byte after the number. */
static const char *read_number(const char *p, const char *end, float *ret)
{
	const char *start = p;
	uint64_t    whole = 0;
	int64_t     power = 0;
	int         digits = 0;
	bool        point = false;
	bool        minus = *p == '-';
	double      v;

	for (p += minus; p < end && ((*p >= '0' && *p <= '9') || *p == '.'); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		if (digits < 19)
			whole = whole * 10 + (uint64_t)(*p - '0');
		digits += digits > 0 || *p != '0';
		power -= point;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
		p = read_power(p, end, &power);
	if (digits <= 19 && vector_quick(whole, power, &v))
		v = minus ? -v : v;
	else
		v = strtod(start, NULL);
	*ret = (float)v;
	return p;
}

/* surely_finite: p: the first byte of a number. True: the number has no positive power of ten, and
 * fewer than 39 digits before its point, like nearly all numbers of vectors. */
static bool surely_finite(const char *p, const char *end)
{
	size_t digits = 0;

	for (p += *p == '-'; p < end && *p >= '0' && *p <= '9'; p++)
		digits++;
	while (p < end && ((*p >= '0' && *p <= '9') || *p == '.'))
		p++;
	return digits < 39 && (p + 1 >= end || (*p != 'e' && *p != 'E') || p[1] == '-');
}

bool vector_is_finite(struct str numbers)
{
	const char *end = numbers.p + numbers.n;

	for (const char *p = numbers.p; p < end; p++) {
		float v;

		if (*p != '-' && (*p < '0' || *p > '9'))
			continue;
		if (!surely_finite(p, end)) {
			read_number(p, end, &v);
			if (!isfinite(v))
				return false;
		}
		while (p < end && *p != ',' && *p != ']')
			p++;
	}
	return true;
}

static bool put_bytes(float *v, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &v[i], sizeof bits);
		bits = htole32(bits);
		memcpy(&v[i], &bits, sizeof bits);
	}
	return media_encode((struct str){ (const char *)v, n * sizeof *v }, out);
}

enum vector vector_encode(struct str numbers, struct buf *out)
{
	const char *p = numbers.p;
	const char *end = numbers.p + numbers.n;
	float       chunk[CHUNK];
	size_t      n = 0;

	while (p < end) {
		if (*p != '-' && (*p < '0' || *p > '9')) {
			p++;
			continue;
		}
		p = read_number(p, end, &chunk[n]);
		if (!isfinite(chunk[n++]))
			return VECTOR_BAD;
		if (n < CHUNK)
			continue;
		if (!put_bytes(chunk, n, out))
			return VECTOR_FULL;
		n = 0;
	}
	return put_bytes(chunk, n, out) ? VECTOR_OK : VECTOR_FULL;
}

/* --- base64 --- */

bool vector_is_base64(struct str text)
{
	size_t pads = 0;

	while (pads < 2 && pads < text.n && text.p[text.n - 1 - pads] == '=')
		pads++;
	return media_base64(text) && (text.n / 4 * 3 - pads) % sizeof(float) == 0;
}

static unsigned vector_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0') + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 0;
}

/* vector_read_group: decodes up to GROUP_TEXT characters; returns the number of floats. */
static size_t vector_read_group(struct str text, float ret[GROUP])
{
	unsigned char bytes[GROUP * sizeof(float)] = { 0 };
	size_t        n = 0;

	for (size_t i = 0; i + 4 <= text.n; i += 4) {
		const char *p = text.p + i;
		unsigned    bits = vector_letter(p[0]) << 18 | vector_letter(p[1]) << 12 |
				vector_letter(p[2]) << 6 | vector_letter(p[3]);

		bytes[n] = (unsigned char)(bits >> 16);
		bytes[n + 1] = (unsigned char)(bits >> 8 & 255);
		bytes[n + 2] = (unsigned char)(bits & 255);
		n += p[2] == '=' ? 1 : p[3] == '=' ? 2 : 3;
	}
	for (size_t i = 0; i < n / sizeof(float); i++) {
		uint32_t bits;

		memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
		bits = le32toh(bits);
		memcpy(&ret[i], &bits, sizeof bits);
	}
	return n / sizeof(float);
}

/* vector_print: prints nine digits, from which the same float can be read, without printf, which
 * takes ten times as long. The ninth digit may be off by one, which is far less than the distance
 * of two floats. Returns the bytes; 0: v is too small or too large for this function. */
static size_t vector_print(float v, char *ret)
{
	double size = fabs((double)v);
	int    power = 0; /* the power of ten of the first digit */
	size_t n = 0, digits = 9;
	char   text[9];

	if (!(size >= 1e-5 && size < 1e8))
		return 0;
	while (power < 8 && size >= tens[power + 1])
		power++;
	while (power > -6 && size < 1 && size * tens[-power] < 1)
		power--;
	uint64_t whole = (uint64_t)(size * tens[8 - power] + 0.5);
	if (whole >= 1000000000) {
		whole /= 10;
		power++;
	}
	for (size_t i = digits; i > 0; i--, whole /= 10)
		text[i - 1] = (char)('0' + whole % 10);
	while (digits > 1 && text[digits - 1] == '0')
		digits--;

	if (v < 0)
		ret[n++] = '-';
	for (int i = power; i < 0; i++) {
		ret[n++] = '0';
		if (i == power)
			ret[n++] = '.';
	}
	for (size_t i = 0; i < digits || (int)i <= power; i++) {
		if (power >= 0 && (int)i == power + 1)
			ret[n++] = '.';
		ret[n++] = i < digits ? text[i] : '0';
	}
	return n;
}

static enum vector put_number(float v, bool first, struct buf *out)
{
	char   text[NUMBER_MAX];
	size_t n = vector_print(v, text + 1);

	if (!isfinite(v))
		return VECTOR_BAD;
	if (n == 0)
		return buf_fmt(out, first ? "%.9g" : ",%.9g", (double)v) ? VECTOR_OK : VECTOR_FULL;
	text[0] = ',';
	return buf_add(out, text + first, n + !first) ? VECTOR_OK : VECTOR_FULL;
}

enum vector vector_decode(struct str base64, struct buf *out)
{
	bool first = true;

	if (!buf_text(out, "["))
		return VECTOR_FULL;
	for (size_t at = 0; at < base64.n; at += GROUP_TEXT) {
		struct str part = { base64.p + at, base64.n - at };
		float      v[GROUP];

		if (part.n > GROUP_TEXT)
			part.n = GROUP_TEXT;
		size_t n = vector_read_group(part, v);
		for (size_t i = 0; i < n; i++, first = false) {
			enum vector rc = put_number(v[i], first, out);

			if (rc != VECTOR_OK)
				return rc;
		}
	}
	return buf_text(out, "]") ? VECTOR_OK : VECTOR_FULL;
}

/* --- floats --- */

enum vector vector_put(const float *v, size_t n, bool base64, struct buf *out)
{
	enum vector rc = VECTOR_OK;

	if (!buf_text(out, base64 ? "\"" : "["))
		return VECTOR_FULL;
	for (size_t i = 0; base64 && i < n; i += CHUNK) {
		float  chunk[CHUNK];
		size_t some = n - i < CHUNK ? n - i : CHUNK;

		memcpy(chunk, v + i, some * sizeof *v);
		if (!put_bytes(chunk, some, out))
			return VECTOR_FULL;
	}
	for (size_t i = 0; !base64 && rc == VECTOR_OK && i < n; i++)
		rc = put_number(v[i], i == 0, out);
	if (rc != VECTOR_OK)
		return rc;
	return buf_text(out, base64 ? "\"" : "]") ? VECTOR_OK : VECTOR_FULL;
}
