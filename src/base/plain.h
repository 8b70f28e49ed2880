/* plain: how many bytes at the beginning of a text need no attention, because they are neither a
 * quote, a backslash nor a control character.  JSON's scanner, its printer and the log look at
 * every byte with this, 16 at a time where the machine can (SSE2, NEON), otherwise 8. */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#elif defined __ARM_NEON && defined __AARCH64EL__
#include <arm_neon.h>
#endif

/* Bytes from 0x7f on that are plain, too; always a constant, so that each use has its own code. */
enum plain {
	PLAIN_ASCII = 0, /* nothing from 0x80 on */
	PLAIN_HIGH = 1,  /* every byte from 0x80 on */
	PLAIN_SHOWN = 2, /* only visible ones: neither 0x7f nor anything from 0x80 on */
};

static inline int plain_byte(unsigned char c, enum plain kind)
{
	if (c < 0x20 || c == '"' || c == '\\')
		return 0;
	return c < (kind == PLAIN_SHOWN ? 0x7f : 0x80) || kind == PLAIN_HIGH;
}

#define PLAIN_EACH(byte) (0x0101010101010101ull * (byte))

/* The low bit that is set is the top bit of the first byte that is not plain; 0: all 8 are plain.
 * A borrow sets bits only above such a byte. */
static inline uint64_t plain_stops8(const unsigned char *p, enum plain kind)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	w = le64toh(w);
	/* A byte from 0x80 on would set its top bit by itself. */
	uint64_t low = kind == PLAIN_HIGH ? ~w : PLAIN_EACH(0x80);
	uint64_t quote = (w ^ PLAIN_EACH('"')) - PLAIN_EACH(1);
	uint64_t slash = (w ^ PLAIN_EACH('\\')) - PLAIN_EACH(1);
	uint64_t found = quote | slash | (w - PLAIN_EACH(0x20));

	if (kind == PLAIN_SHOWN)
		found |= (w ^ PLAIN_EACH(0x7f)) - PLAIN_EACH(1);
	if (kind != PLAIN_HIGH)
		found |= w;
	return found & low & PLAIN_EACH(0x80);
}

/* plain_run_words: plain_run by words of 8 bytes, on every machine. The last word, as the last
 * vector, may begin before what is left: those bytes are plain. */
static inline size_t plain_run_words(const unsigned char *p, size_t n, enum plain kind)
{
	size_t at = 0;

	for (; n - at >= 8; at += 8) {
		uint64_t stops = plain_stops8(p + at, kind);

		if (stops)
			return at + (size_t)__builtin_ctzll(stops) / 8;
	}
	if (n >= 8 && at < n) {
		uint64_t stops = plain_stops8(p + n - 8, kind);

		return n - 8 + (stops ? (size_t)__builtin_ctzll(stops) / 8 : 8);
	}
	while (at < n && plain_byte(p[at], kind))
		at++;
	return at;
}

#if defined __SSE2__
#define PLAIN_VECTORS 1
typedef __m128i plain_vector;

/* Each byte of the result is 0xff where p has a byte that is not plain, otherwise 0. */
static inline plain_vector plain_look(const unsigned char *p, enum plain kind)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	/* Turns a quote into a blank, and moves nothing else across that border: control characters
	 * and the quote are found with one comparison. */
	__m128i turned = _mm_xor_si128(v, _mm_set1_epi8('"' ^ ' '));
	/* The comparison is signed: a byte from 0x80 on is below 0x20. */
	__m128i low = kind == PLAIN_HIGH
			      ? _mm_cmpeq_epi8(_mm_min_epu8(turned, _mm_set1_epi8(' ')), turned)
			      : _mm_cmplt_epi8(turned, _mm_set1_epi8(' ' + 1));

	if (kind == PLAIN_SHOWN)
		low = _mm_or_si128(low, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
	return _mm_or_si128(low, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
}

static inline plain_vector plain_either(plain_vector a, plain_vector b)
{
	return _mm_or_si128(a, b);
}

/* The number of bytes before the first 0xff, at most 16. */
static inline unsigned plain_first(plain_vector found)
{
	return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(found) | 1u << 16);
}
#elif defined __ARM_NEON && defined __AARCH64EL__
#define PLAIN_VECTORS 1
typedef uint8x16_t plain_vector;

static inline plain_vector plain_look(const unsigned char *p, enum plain kind)
{
	uint8x16_t v = vld1q_u8(p);
	uint8x16_t found = vorrq_u8(vceqq_u8(v, vdupq_n_u8('"')), vceqq_u8(v, vdupq_n_u8('\\')));

	if (kind != PLAIN_HIGH)
		found = vorrq_u8(found, vcgeq_u8(v, vdupq_n_u8(kind == PLAIN_SHOWN ? 0x7f : 0x80)));
	return vorrq_u8(found, vcltq_u8(v, vdupq_n_u8(0x20)));
}

static inline plain_vector plain_either(plain_vector a, plain_vector b)
{
	return vorrq_u8(a, b);
}

static inline unsigned plain_first(plain_vector found)
{
	/* Narrowed to four bits for each byte. */
	uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(found), 4);
	uint64_t  nibbles = vget_lane_u64(vreinterpret_u64_u8(narrow), 0);

	return nibbles ? (unsigned)__builtin_ctzll(nibbles) / 4 : 16;
}
#endif

/* plain_run: the number of plain bytes at the beginning of p[0..n). */
static inline size_t plain_run(const unsigned char *p, size_t n, enum plain kind)
{
	size_t at = 0;

#ifdef PLAIN_VECTORS
	while (n - at >= 16) {
		unsigned step = plain_first(plain_look(p + at, kind));

		at += step;
		if (step < 16)
			return at;
		/* In a run that is long already, one test for 64 bytes is enough. */
		while (at >= 64 && n - at >= 64 &&
		       plain_first(plain_either(plain_either(plain_look(p + at, kind),
							     plain_look(p + at + 16, kind)),
						plain_either(plain_look(p + at + 32, kind),
							     plain_look(p + at + 48, kind)))) == 16)
			at += 64;
	}
	if (n >= 16)
		return at < n ? n - 16 + plain_first(plain_look(p + n - 16, kind)) : n;
#endif
	return plain_run_words(p, n, kind);
}
