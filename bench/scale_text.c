/* A made-up language with the word frequencies of a real one. */
#include "scale_text.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>

enum { WORD_MAX = 20, OBJECT_MIN = 50, OBJECT_MAX = 2000 };

/* The words that are in nearly every text, most frequent first. */
static const char *const frequent[] = {
	"the",   "of",    "and",   "to",   "a",     "in",    "is",    "that",   "it",   "for",
	"you",   "was",   "with",  "on",   "as",    "be",    "this",  "have",   "are",  "not",
	"at",    "but",   "by",    "from", "they",  "we",    "or",    "an",     "can",  "which",
	"there", "one",   "if",    "all",  "would", "what",  "so",    "when",   "more", "will",
	"use",   "about", "has",   "them", "other", "some",  "then",  "how",    "out",  "into",
	"time",  "like",  "only",  "do",   "than",  "each",  "make",  "also",   "two",  "way",
	"file",  "first", "these", "need", "your",  "where", "after", "should", "data", "because",
};

static char wordlist[TEXT_WORDS][WORD_MAX];

/* A distribution to draw from in constant time (Walker's aliases). */
struct urn {
	uint32_t *alias;
	double   *keep;
	uint32_t  n;
};

static uint32_t word_alias[TEXT_WORDS];
static double   word_keep[TEXT_WORDS];
static uint32_t wide_alias[TEXT_CHARACTERS];
static double   wide_keep[TEXT_CHARACTERS];

static const struct urn words = { word_alias, word_keep, TEXT_WORDS };
static const struct urn wides = { wide_alias, wide_keep, TEXT_CHARACTERS };

uint64_t dice_roll(struct dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint32_t dice_below(struct dice *d, uint32_t n)
{
	return (uint32_t)(((dice_roll(d) >> 32) * n) >> 32);
}

static double dice_unit(struct dice *d)
{
	return (double)(dice_roll(d) >> 11) * 0x1p-53;
}

double dice_wait(struct dice *d, double mean)
{
	return -mean * log(1 - dice_unit(d));
}

static void fill_urn(const struct urn *u, double shift)
{
	static uint32_t small[TEXT_WORDS];
	static uint32_t large[TEXT_WORDS];
	size_t          smalls = 0;
	size_t          larges = 0;
	double          sum = 0;

	for (uint32_t i = 0; i < u->n; i++)
		sum += 1 / (i + shift);
	for (uint32_t i = 0; i < u->n; i++) {
		u->alias[i] = i;
		u->keep[i] = u->n / (i + shift) / sum;
		if (u->keep[i] < 1)
			small[smalls++] = i;
		else
			large[larges++] = i;
	}
	while (smalls > 0 && larges > 0) {
		uint32_t s = small[--smalls];
		uint32_t l = large[larges - 1];

		u->alias[s] = l;
		u->keep[l] -= 1 - u->keep[s];
		if (u->keep[l] < 1) {
			larges--;
			small[smalls++] = l;
		}
	}
}

static uint32_t draw(const struct urn *u, struct dice *d)
{
	uint32_t i = dice_below(d, u->n);

	return dice_unit(d) < u->keep[i] ? i : u->alias[i];
}

/* A word of two or three syllables that no other rank has. */
static void make_word(uint32_t rank, char ret[WORD_MAX])
{
	static const char *const onset[] = {
		"b", "br", "c", "ch", "d", "f", "fl", "g", "h",  "l",
		"m", "n",  "p", "pr", "r", "s", "st", "t", "tr", "v",
	};
	static const char *const rhyme[] = {
		"a",  "an", "ar", "e",  "el", "en", "er", "i",
		"in", "o",  "on", "or", "u",  "al", "it", "us",
	};
	static const char *const end[] = { "", "", "", "s", "ing", "ed", "ly", "tion" };
	enum { SYLLABLES = 20 * 16 };
	uint32_t two = (uint32_t)((uint64_t)rank * 48271 % (SYLLABLES * SYLLABLES));
	uint32_t a = two / SYLLABLES;
	uint32_t b = two % SYLLABLES;

	snprintf(ret, WORD_MAX, "%s%s%s%s%s", onset[a % 20], rhyme[a / 20], onset[b % 20],
		 rhyme[b / 20], end[(two / 7) % ARRAY_LEN(end)]);
}

void text_set_up(void)
{
	for (uint32_t i = 0; i < TEXT_WORDS; i++)
		if (i < ARRAY_LEN(frequent))
			snprintf(wordlist[i], WORD_MAX, "%s", frequent[i]);
		else
			make_word(i, wordlist[i]);
	fill_urn(&words, 2.7);
	fill_urn(&wides, 8);
}

struct str text_word(unsigned rank)
{
	return str_of(wordlist[rank]);
}

void text_wide(unsigned rank, char ret[4])
{
	uint32_t c = 0x4e00 + rank * 7 % 20000;

	ret[0] = (char)(0xe0 | c >> 12);
	ret[1] = (char)(0x80 | (c >> 6 & 63));
	ret[2] = (char)(0x80 | (c & 63));
	ret[3] = '\0';
}

static size_t put(char *at, const char *text)
{
	size_t n = strlen(text);

	memcpy(at, text, n);
	return n;
}

/* Things that a dictionary lacks: numbers, names, versions. */
static size_t put_rare(struct dice *d, char *at)
{
	char text[WORD_MAX];

	switch (dice_below(d, 3)) {
	case 0: snprintf(text, sizeof text, "%u", dice_below(d, 1000000)); break;
	case 1: snprintf(text, sizeof text, "job_%05x", dice_below(d, 1 << 20)); break;
	case 2: snprintf(text, sizeof text, "v%u.%u", dice_below(d, 30), dice_below(d, 100)); break;
	}
	return put(at, text);
}

static size_t put_sentence(struct dice *d, char *at)
{
	size_t   n = 0;
	uint32_t left = 4 + dice_below(d, 16);

	while (left-- > 0) {
		size_t from = n;

		if (dice_below(d, 64) == 0)
			n += put_rare(d, at + n);
		else
			n += put(at + n, wordlist[draw(&words, d)]);
		if (from == 0 && at[0] >= 'a' && at[0] <= 'z')
			at[0] = (char)(at[0] - 'a' + 'A');
		if (left > 0)
			n += put(at + n, dice_below(d, 12) == 0 ? ", " : " ");
	}
	return n + put(at + n, dice_below(d, 8) == 0 ? "?" : ".");
}

static size_t put_wide_sentence(struct dice *d, char *at)
{
	size_t   n = 0;
	uint32_t left = 6 + dice_below(d, 20);

	while (left-- > 0) {
		text_wide(draw(&wides, d), at + n);
		n += 3;
		if (left > 0 && dice_below(d, 9) == 0)
			n += put(at + n, "，");
	}
	return n + put(at + n, "。");
}

/* Up to about want bytes, and no more than max. */
static size_t put_text(struct dice *d, bool wide, size_t want, size_t max, char *at)
{
	enum { SENTENCE_MAX = 20 * (WORD_MAX + 2) };
	char   sentence[SENTENCE_MAX];
	size_t n = 0;

	while (n < want) {
		size_t length = wide ? put_wide_sentence(d, sentence) : put_sentence(d, sentence);

		if (n + length + 4 > max)
			break;
		/* A text ends where it is long enough, if need be within a sentence. */
		if (!wide && n + length > want + 40)
			length = want + 40 - n;
		if (n > 0)
			n += put(at + n, dice_below(d, 6) == 0 ? "\\n\\n" : wide ? "" : " ");
		memcpy(at + n, sentence, length);
		n += length;
	}
	return n;
}

struct str text_message(struct dice *d, const char *role, double mean, bool wide, char *ret)
{
	size_t n = (size_t)snprintf(ret, TEXT_MAX, "{\"role\":\"%s\",\"content\":\"", role);
	size_t want = (size_t)dice_wait(d, mean - OBJECT_MIN);

	if (want > OBJECT_MAX - OBJECT_MIN)
		want = OBJECT_MAX - OBJECT_MIN;
	if (want < 6)
		want = 6;
	n += put_text(d, wide, want > 20 ? want - 20 : want, OBJECT_MAX - n, ret + n);
	n += put(ret + n, "\"}");
	return (struct str){ ret, n };
}

struct str text_title(struct dice *d, bool wide, char *ret, size_t size)
{
	char   sentence[640];
	size_t n = wide ? put_wide_sentence(d, sentence) : put_sentence(d, sentence);

	n = n > 3 ? n - (wide ? 3 : 1) : n;
	if (n >= size)
		n = wide ? (size - 1) / 3 * 3 : size - 1;
	memcpy(ret, sentence, n);
	return (struct str){ ret, n };
}
