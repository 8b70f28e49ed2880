/* An FTS5 tokenizer: unicode61 for scripts with blanks, single characters for the others. */
#include "store/words/search_token.h"

#include "base/limits.h"

#include <stdint.h>
#include <stdlib.h>

struct range {
	uint32_t first;
	uint32_t last;
};

/* Characters that are words of their own; sorted, for search_token_alone. */
/* clang-format off */
static const struct range alone[] = {
	{ 0x0e00, 0x0fff },   /* Thai, Lao, Tibetan */
	{ 0x1000, 0x109f },   /* Burmese */
	{ 0x1100, 0x11ff },   /* Hangul, in pieces */
	{ 0x1780, 0x17ff },   /* Khmer */
	{ 0x1950, 0x19ff },   /* Tai Le, New Tai Lue, Khmer */
	{ 0x1a20, 0x1aaf },   /* Tai Tham */
	{ 0x2600, 0x27bf },   /* symbols that are drawn as emoji */
	{ 0x2b05, 0x2b55 },
	{ 0x2e80, 0x2fdf },   /* radicals */
	{ 0x3005, 0x3007 },   { 0x3021, 0x3029 }, { 0x3031, 0x3035 }, { 0x303b, 0x303b },
	{ 0x3041, 0x3096 },   /* Hiragana */
	{ 0x3099, 0x309a },   { 0x309d, 0x309f },
	{ 0x30a1, 0x30fa },   /* Katakana */
	{ 0x30fc, 0x30ff },   { 0x3105, 0x312f }, { 0x3131, 0x318e }, { 0x31a0, 0x31bf },
	{ 0x31f0, 0x31ff },   { 0x3400, 0x4dbf },
	{ 0x4e00, 0xa4cf },   /* Han, Yi */
	{ 0xa960, 0xa97f },   { 0xa9e0, 0xa9ff }, { 0xaa60, 0xaa7f },
	{ 0xac00, 0xd7ff },   /* Hangul */
	{ 0xf900, 0xfaff },   { 0xff66, 0xffdc }, { 0x1b000, 0x1b16f },
	{ 0x1f000, 0x1faff }, /* emoji */
	{ 0x20000, 0x3ffff }, /* Han */
};
/* clang-format on */

bool search_token_alone(unsigned v)
{
	size_t low = 0;
	size_t high = ARRAY_LEN(alone);

	if (v < alone[0].first)
		return false;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (v > alone[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ARRAY_LEN(alone) && v >= alone[low].first;
}

/* Variation selectors say how the character before them is drawn; nobody types them into a
 * search. */
static bool is_variant(unsigned v)
{
	return (v >= 0xfe00 && v <= 0xfe0f) || (v >= 0xe0100 && v <= 0xe01ef);
}

static bool vowel_sign(unsigned v)
{
	return (v >= 0x0591 && v <= 0x05bd) || v == 0x05bf || v == 0x05c1 || v == 0x05c2 ||
	       v == 0x05c4 || v == 0x05c5 || v == 0x05c7 || (v >= 0x0610 && v <= 0x061a) ||
	       v == 0x0640 || (v >= 0x064b && v <= 0x065f) || v == 0x0670;
}

unsigned search_utf8(struct str s, size_t *at)
{
	unsigned char lead = (unsigned char)s.p[(*at)++];
	unsigned      more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
	unsigned      v = more == 0 ? lead : lead & (0x3fu >> more);

	for (; more > 0 && *at < s.n && ((unsigned char)s.p[*at] & 0xc0) == 0x80; more--)
		v = v << 6 | ((unsigned char)s.p[(*at)++] & 0x3f);
	return v;
}

/* --- one text --- */

typedef int (*token_fn)(void *arg, int flags, const char *token, int n, int start, int end);

/* A part of the text that unicode61 tokenizes. */
struct stretch {
	void    *arg;
	token_fn fn;
	int      base; /* bytes of the text before this part */
};

/* Removes vowel signs and variation selectors from a word of unicode61, and cuts it at
 * LIMIT_SEARCH_TOKEN. */
static int on_token(void *arg, int flags, const char *token, int n, int start, int end)
{
	const struct stretch *s = arg;
	struct str            word = { token, (size_t)n };
	char                  kept[LIMIT_SEARCH_TOKEN];
	size_t                len = 0;

	for (size_t at = 0; at < word.n;) {
		size_t   from = at;
		unsigned v = search_utf8(word, &at);

		if (v >= 0x591 && (vowel_sign(v) || is_variant(v)))
			continue;
		if (len + (at - from) > sizeof kept)
			break;
		memcpy(kept + len, word.p + from, at - from);
		len += at - from;
	}
	if (len == 0)
		return SQLITE_OK;
	return s->fn(s->arg, flags, kept, (int)len, s->base + start, s->base + end);
}

struct tokenizer {
	fts5_tokenizer base;
	Fts5Tokenizer *with;
};

static int run_stretch(const struct tokenizer *t, struct stretch *s, int flags, struct str text,
		       size_t from, size_t to)
{
	if (from == to)
		return SQLITE_OK;
	s->base = (int)from;
	return t->base.xTokenize(t->with, s, flags, text.p + from, (int)(to - from), on_token);
}

/* A stretch without ASCII separators, which has characters outside of ASCII. */
static int run_any(const struct tokenizer *t, struct stretch *s, int flags, struct str text,
		   size_t from, size_t to)
{
	int rc = SQLITE_OK;

	for (size_t at = from; rc == SQLITE_OK && at < to;) {
		size_t here = at;

		if ((unsigned char)text.p[at] < 0xe0) { /* nothing below U+0800 stands alone */
			at++;
			continue;
		}
		if (!search_token_alone(search_utf8(text, &at)))
			continue;
		rc = run_stretch(t, s, flags, text, from, here);
		if (rc == SQLITE_OK)
			rc = s->fn(s->arg, 0, text.p + here, (int)(at - here), (int)here, (int)at);
		from = at;
	}
	return rc == SQLITE_OK ? run_stretch(t, s, flags, text, from, to) : rc;
}

enum { OTHER = 0x80 }; /* from here on, bytes are parts of longer characters */
/* ASCII letters and digits, as unicode61 folds them; 0: a separator, or not ASCII. */
/* clang-format off */
static const char ascii[256] = {
	['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
	['7'] = '7', ['8'] = '8', ['9'] = '9',
#define LETTER(upper, lower) [upper] = (lower), [lower] = (lower)
	LETTER('A', 'a'), LETTER('B', 'b'), LETTER('C', 'c'), LETTER('D', 'd'), LETTER('E', 'e'),
	LETTER('F', 'f'), LETTER('G', 'g'), LETTER('H', 'h'), LETTER('I', 'i'), LETTER('J', 'j'),
	LETTER('K', 'k'), LETTER('L', 'l'), LETTER('M', 'm'), LETTER('N', 'n'), LETTER('O', 'o'),
	LETTER('P', 'p'), LETTER('Q', 'q'), LETTER('R', 'r'), LETTER('S', 's'), LETTER('T', 't'),
	LETTER('U', 'u'), LETTER('V', 'v'), LETTER('W', 'w'), LETTER('X', 'x'), LETTER('Y', 'y'),
	LETTER('Z', 'z'),
#undef LETTER
};
/* clang-format on */

static bool ascii_word(struct str text, size_t at)
{
	return ascii[(unsigned char)text.p[at]] != 0;
}

/* Reads a word of ASCII at *at: folds it, and cuts it at LIMIT_SEARCH_TOKEN.  Returns the length of
 * the result; *at is moved past the word. */
static size_t fold_ascii(struct str text, size_t *at, char word[LIMIT_SEARCH_TOKEN])
{
	size_t i = *at;
	size_t len = 0;
	char   c;

	for (; i < text.n && (c = ascii[(unsigned char)text.p[i]]) != 0; i++)
		if (len < LIMIT_SEARCH_TOKEN)
			word[len++] = c;
	*at = i;
	return len;
}

/* The end of a word that has characters outside of ASCII at `at`. */
static size_t any_end(struct str text, size_t at)
{
	while (at < text.n && ((unsigned char)text.p[at] >= OTHER || ascii_word(text, at)))
		at++;
	return at;
}

/* Words of ASCII, which most texts consist of, are cut and folded here, because unicode61 and
 * on_token take several times as long.  The result is the same: an ASCII separator ends every
 * word. */
static int tokenize_text(Fts5Tokenizer *self, void *arg, int flags, const char *p, int n,
			 token_fn fn)
{
	const struct tokenizer *t = (const struct tokenizer *)(const void *)self;
	struct stretch          s = { arg, fn, 0 };
	struct str              text = { p, n > 0 ? (size_t)n : 0 };
	int                     rc = SQLITE_OK;
	char                    word[LIMIT_SEARCH_TOKEN];

	for (size_t at = 0; rc == SQLITE_OK && at < text.n;) {
		size_t from = at;
		size_t len = fold_ascii(text, &at, word);

		if (at < text.n && (unsigned char)text.p[at] >= OTHER) {
			at = any_end(text, at);
			rc = run_any(t, &s, flags, text, from, at);
		} else if (len > 0) {
			rc = fn(arg, 0, word, (int)len, (int)from, (int)at);
		} else {
			at++;
		}
	}
	return rc;
}

static void search_token_drop(Fts5Tokenizer *self)
{
	struct tokenizer *t = (struct tokenizer *)(void *)self;

	if (t && t->with)
		t->base.xDelete(t->with);
	free(t);
}

static int search_token_create(void *user, const char **args, int count, Fts5Tokenizer **ret)
{
	static const char *const how[] = { "remove_diacritics", "2", "categories",
					   "L* N* Co Mn Mc" };
	const char              *given[ARRAY_LEN(how)];
	fts5_api                *api = user;
	void                    *base_user = NULL;
	struct tokenizer        *t = calloc(1, sizeof *t);

	(void)args;
	(void)count;
	if (!t)
		return SQLITE_NOMEM;
	memcpy(given, how, sizeof given);
	int rc = api->xFindTokenizer(api, "unicode61", &base_user, &t->base);
	if (rc == SQLITE_OK)
		rc = t->base.xCreate(base_user, given, (int)ARRAY_LEN(given), &t->with);
	if (rc != SQLITE_OK) {
		t->with = NULL;
		search_token_drop((Fts5Tokenizer *)(void *)t);
		return rc;
	}
	*ret = (Fts5Tokenizer *)(void *)t;
	return SQLITE_OK;
}

/* --- connections --- */

int search_token_api(sqlite3 *db, fts5_api **ret)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &st, NULL);

	*ret = NULL;
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_pointer(st, 1, (void *)ret, "fts5_api_ptr", NULL);
	if (rc == SQLITE_OK && sqlite3_step(st) != SQLITE_ROW)
		rc = SQLITE_ERROR;
	(void)sqlite3_finalize(st);
	return rc == SQLITE_OK && !*ret ? SQLITE_ERROR : rc;
}

int search_token_register(sqlite3 *db)
{
	fts5_tokenizer how = { search_token_create, search_token_drop, tokenize_text };
	fts5_api      *api;
	int            rc = search_token_api(db, &api);

	return rc == SQLITE_OK ? api->xCreateTokenizer(api, SEARCH_TOKENIZER, api, &how, NULL) : rc;
}

int search_words_open(struct search_words *w, sqlite3 *db)
{
	fts5_api *api;
	void     *user = NULL;
	int       rc = search_token_api(db, &api);

	*w = (struct search_words){ .how = NULL };
	if (rc != SQLITE_OK)
		return rc;
	w->how = calloc(1, sizeof *w->how);
	if (!w->how)
		return SQLITE_NOMEM;
	rc = api->xFindTokenizer(api, SEARCH_TOKENIZER, &user, w->how);
	if (rc == SQLITE_OK)
		rc = w->how->xCreate(user, NULL, 0, &w->with);
	if (rc != SQLITE_OK)
		search_words_close(w);
	return rc;
}

int search_words_alone(struct search_words *w)
{
	sqlite3 *memory = NULL;
	int rc = sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL);

	*w = (struct search_words){ .how = NULL };
	if (rc == SQLITE_OK)
		rc = search_token_register(memory);
	if (rc == SQLITE_OK)
		rc = search_words_open(w, memory);
	if (rc == SQLITE_OK)
		w->memory = memory;
	else
		(void)sqlite3_close(memory);
	return rc;
}

void search_words_close(struct search_words *w)
{
	if (w->with)
		w->how->xDelete(w->with);
	free(w->how);
	(void)sqlite3_close(w->memory);
	*w = (struct search_words){ .how = NULL };
}

struct each {
	search_word_fn fn;
	void          *arg;
};

static int on_each(void *arg, int flags, const char *token, int n, int start, int end)
{
	const struct each *e = arg;

	(void)flags;
	return e->fn(e->arg, (struct str){ token, (size_t)n }, (size_t)start, (size_t)end);
}

int search_words_each(const struct search_words *w, struct str text, search_word_fn fn, void *arg)
{
	struct each e = { fn, arg };

	if (text.n == 0)
		return SQLITE_OK;
	return w->how->xTokenize(w->with, &e, FTS5_TOKENIZE_AUX, text.p, (int)text.n, on_each);
}
