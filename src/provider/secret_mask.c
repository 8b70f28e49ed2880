/* Each reading of a text (as it is, unescaped, unescaped twice, and the base64 in each of these) is
 * searched for runs of the secrets, that is, for sequences of their bytes. A run that is found is
 * marked in the text itself.
 *
 * Every run that is long enough contains one of a few 8-byte pieces ("grams") of its secret. The
 * grams are in a hash table; further bytes are compared only where the text has a gram. */
#include "provider/secret_mask.h"

#include "base/limits.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	GRAM = 8,
	RUN_MAX = 32,  /* a run of this length is no coincidence, however long the secret is */
	UNESCAPES = 2, /* an error often contains the text of another error */
	BASE64_LEAST = 4,
};

struct secret {
	unsigned char *bytes; /* owned; folded, except of a word */
	size_t         n;
	size_t         need; /* bytes of the shortest run that is hidden */
	bool           word; /* the secret is too short for runs */
};

struct gram {
	uint64_t bytes;
	uint32_t secret;
	uint32_t at;
	uint32_t next; /* in its bucket, from 1; 0: none */
};

struct mask {
	atomic_int     refs;
	struct secret *secrets;
	size_t         secret_count;
	struct gram   *grams;
	size_t         gram_count;
	size_t         least;        /* bytes of the shortest run that is hidden */
	uint32_t      *buckets;      /* from 1; 0: none */
	size_t         bucket_count; /* a power of two */
};

/* One reading of a text: bytes, and which part of the text each stands for. */
struct view {
	unsigned char bytes[LIMIT_MASK_TEXT];
	uint16_t      from[LIMIT_MASK_TEXT];
	uint16_t      to[LIMIT_MASK_TEXT];
	size_t        n;
};

struct search {
	const struct mask *mask;
	bool               hidden[LIMIT_MASK_TEXT];
	bool               found;
};

/* mask_fold: makes bytes equal that a provider may exchange: upper and lower case; white space, and
 * the plus that stands for a space in a form. */
static unsigned char mask_fold(unsigned char c)
{
	if (c == '+' || (c < 0x20 && c != 0))
		return ' ';
	return c < 0x80 ? (unsigned char)tolower(c) : c;
}

static uint64_t gram_of(const unsigned char *folded)
{
	uint64_t g;

	memcpy(&g, folded, GRAM);
	return g;
}

static size_t mask_bucket_of(const struct mask *m, uint64_t gram)
{
	return (size_t)((gram * 0x9E3779B97F4A7C15u) >> 32) & (m->bucket_count - 1);
}

/* --- making one --- */

/* stride_of: the distance of the grams, so that every run of `need` bytes contains one. */
static size_t stride_of(const struct secret *s)
{
	return s->need - GRAM + 1;
}

static bool add_secret(struct mask *m, struct str value)
{
	struct secret *s = &m->secrets[m->secret_count];
	size_t         half = value.n / 2 < RUN_MAX ? value.n / 2 : RUN_MAX;

	*s = (struct secret){ .n = value.n, .word = value.n < GRAM };
	s->need = s->word ? value.n : half > GRAM ? half : GRAM;
	s->bytes = malloc(value.n);
	if (!s->bytes)
		return false;
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		s->bytes[i] = s->word ? c : mask_fold(c);
	}
	m->secret_count++;
	if (s->need < m->least)
		m->least = s->need;
	if (!s->word)
		m->gram_count += (s->n - GRAM) / stride_of(s) + 1;
	return true;
}

static bool index_grams(struct mask *m)
{
	size_t n = 0;

	m->bucket_count = 64;
	while (m->bucket_count < 2 * m->gram_count)
		m->bucket_count *= 2;
	m->grams = calloc(m->gram_count + 1, sizeof *m->grams);
	m->buckets = calloc(m->bucket_count, sizeof *m->buckets);
	if (!m->grams || !m->buckets)
		return false;
	for (size_t i = 0; i < m->secret_count; i++) {
		const struct secret *s = &m->secrets[i];

		for (size_t at = 0; !s->word && at + GRAM <= s->n; at += stride_of(s)) {
			uint64_t  bytes = gram_of(s->bytes + at);
			uint32_t *bucket = &m->buckets[mask_bucket_of(m, bytes)];

			m->grams[n] = (struct gram){ bytes, (uint32_t)i, (uint32_t)at, *bucket };
			*bucket = (uint32_t)++n;
		}
	}
	return true;
}

bool mask_create(const struct str *values, size_t count, struct mask **ret)
{
	OWNED(mask) m = calloc(1, sizeof *m);

	if (!m)
		return false;
	atomic_init(&m->refs, 1);
	m->least = SIZE_MAX;
	m->secrets = calloc(count + 1, sizeof *m->secrets);
	if (!m->secrets)
		return false;
	for (size_t i = 0; i < count; i++)
		if (values[i].n > 0 && !add_secret(m, values[i]))
			return false;
	if (!index_grams(m))
		return false;
	*ret = TAKE(m);
	return true;
}

struct mask *mask_ref(struct mask *m)
{
	if (m)
		atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
	return m;
}

void mask_destroy(struct mask *m)
{
	if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) > 1)
		return;
	for (size_t i = 0; i < m->secret_count; i++) {
		explicit_bzero(m->secrets[i].bytes, m->secrets[i].n);
		free(m->secrets[i].bytes);
	}
	if (m->grams)
		explicit_bzero(m->grams, (m->gram_count + 1) * sizeof *m->grams);
	free(m->secrets);
	free(m->grams);
	free(m->buckets);
	free(m);
}

/* --- readings --- */

static void view_add(struct view *v, unsigned char c, size_t from, size_t to)
{
	v->bytes[v->n] = c;
	v->from[v->n] = (uint16_t)from;
	v->to[v->n] = (uint16_t)to;
	v->n++;
}

static int hex_of(const unsigned char *p, size_t digits)
{
	int n = 0;

	for (size_t i = 0; i < digits; i++) {
		int c = tolower(p[i]);

		if (!isxdigit(c))
			return -1;
		n = n * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return n;
}

/* put_code: adds a code unit of \u as UTF-8. The halves of surrogate pairs are not joined, because
 * keys have no such characters. */
static void put_code(struct view *v, int code, size_t from, size_t to)
{
	if (code >= 0x800) {
		view_add(v, (unsigned char)(0xE0 | code >> 12), from, to);
		view_add(v, (unsigned char)(0x80 | (code >> 6 & 63)), from, to);
	} else if (code >= 0x80) {
		view_add(v, (unsigned char)(0xC0 | code >> 6), from, to);
	}
	view_add(v, (unsigned char)(code < 0x80 ? code : 0x80 | (code & 63)), from, to);
}

/* mask_unescape: decodes one level of escapes. The result fits into ret, because no escape is
 * shorter than its bytes. False: v has no escapes. */
static bool mask_unescape(const struct view *v, struct view *ret)
{
	static const char letters[] = "bfnrt";
	size_t            step;

	ret->n = 0;
	for (size_t i = 0; i < v->n; i += step) {
		const unsigned char *p = v->bytes + i;
		size_t               left = v->n - i;
		int                  code = *p;

		step = 1;
		if (*p == '%' && left >= 3 && hex_of(p + 1, 2) >= 0) {
			code = hex_of(p + 1, 2);
			step = 3;
			view_add(ret, (unsigned char)code, v->from[i], v->to[i + 2]);
			continue;
		}
		if (*p == '\\' && left >= 6 && p[1] == 'u' && hex_of(p + 2, 4) >= 0) {
			step = 6;
			put_code(ret, hex_of(p + 2, 4), v->from[i], v->to[i + 5]);
			continue;
		}
		if (*p == '\\' && left >= 2) {
			step = 2;
			code = strchr(letters, p[1]) && p[1] ? ' ' : p[1];
		}
		view_add(ret, (unsigned char)code, v->from[i], v->to[i + step - 1]);
	}
	return ret->n < v->n;
}

static int base64_of(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* put_base64: decodes v->bytes[i..end), which are base64 characters only. */
static void put_base64(const struct view *v, size_t i, size_t end, struct view *ret)
{
	for (; end - i >= 2; i += 4) {
		size_t n = end - i < 4 ? end - i : 4;

		for (size_t k = 0; k + 1 < n; k++) {
			unsigned two = (unsigned)base64_of(v->bytes[i + k]) << 6 |
				       (unsigned)base64_of(v->bytes[i + k + 1]);

			view_add(ret, (unsigned char)(two >> (4 - 2 * k)), v->from[i + k],
				 v->to[i + k + 1]);
		}
		if (n < 4)
			return;
	}
}

/* decode_base64: decodes each sequence of base64 characters, without its first `phase` characters,
 * because the beginning of a group is not known. A NUL separates the results. */
static void decode_base64(const struct view *v, size_t phase, struct view *ret)
{
	ret->n = 0;
	for (size_t i = 0, end; i < v->n; i = end + 1) {
		for (end = i; end < v->n && base64_of(v->bytes[end]) >= 0;)
			end++;
		if (end - i < BASE64_LEAST + phase)
			continue;
		put_base64(v, i + phase, end, ret);
		view_add(ret, 0, v->from[end - 1], v->from[end - 1]);
	}
}

/* --- looking --- */

static void hide_bytes(struct search *s, const struct view *v, size_t from, size_t end)
{
	CHECK(from < end && end <= v->n);
	for (size_t i = v->from[from]; i < v->to[end - 1]; i++)
		s->hidden[i] = true;
	s->found = true;
}

/* extend_match: hides the run around the gram at i, and returns the end of the run; i: the gram is
 * another one of its bucket, or the run is too short. */
static size_t extend_match(struct search *s, const struct view *v, const unsigned char *folded,
			   size_t i, const struct gram *g)
{
	const struct secret *x = &s->mask->secrets[g->secret];
	size_t               back = 0;
	size_t               n = GRAM;

	if (g->bytes != gram_of(folded + i))
		return i;
	while (back < i && back < g->at && folded[i - back - 1] == x->bytes[g->at - back - 1])
		back++;
	while (i + n < v->n && g->at + n < x->n && folded[i + n] == x->bytes[g->at + n])
		n++;
	if (back + n < x->need)
		return i;
	hide_bytes(s, v, i - back, i + n);
	return i + n;
}

static void look_for_runs(struct search *s, const struct view *v)
{
	const struct mask *m = s->mask;
	unsigned char      folded[LIMIT_MASK_TEXT];
	uint32_t           last = UINT32_MAX; /* the secret whose run was found last */
	size_t             last_end = 0;      /* the run's end */

	for (size_t i = 0; i < v->n; i++)
		folded[i] = mask_fold(v->bytes[i]);
	for (size_t i = 0; i + GRAM <= v->n; i++) {
		uint32_t next = m->buckets[mask_bucket_of(m, gram_of(folded + i))];

		for (; next != 0; next = m->grams[next - 1].next) {
			const struct gram *g = &m->grams[next - 1];

			/* A secret that repeats itself has many grams in one run. */
			if (g->secret == last && i + GRAM <= last_end)
				continue;
			size_t end = extend_match(s, v, folded, i, g);
			if (end > i) {
				last = g->secret;
				last_end = end;
			}
		}
	}
}

static bool in_word(unsigned char c)
{
	return isalnum(c) || c == '_' || c == '-' || c >= 0x80;
}

static void look_for_words(struct search *s, const struct view *v)
{
	for (size_t k = 0; k < s->mask->secret_count; k++) {
		const struct secret *x = &s->mask->secrets[k];

		for (size_t i = 0; x->word && i + x->n <= v->n; i++)
			if (memcmp(v->bytes + i, x->bytes, x->n) == 0 &&
			    (i == 0 || !in_word(v->bytes[i - 1])) &&
			    (i + x->n == v->n || !in_word(v->bytes[i + x->n])))
				hide_bytes(s, v, i, i + x->n);
	}
}

static void mask_look(struct search *s, const struct view *v)
{
	struct view inner;

	look_for_runs(s, v);
	look_for_words(s, v);
	for (size_t phase = 0; phase < 4; phase++) {
		decode_base64(v, phase, &inner);
		look_for_runs(s, &inner);
		if (phase ==
		    0) /* the other phases give noise, which may contain a short word by chance */
			look_for_words(s, &inner);
	}
}

/* mask_shown: a NUL would end the text. */
static unsigned char mask_shown(char c)
{
	return c ? (unsigned char)c : ' ';
}

static void mask_search(struct search *s, struct str text)
{
	struct view views[2];

	views[0].n = 0;
	for (size_t i = 0; i < text.n; i++)
		view_add(&views[0], mask_shown(text.p[i]), i, i + 1);
	mask_look(s, &views[0]);
	for (size_t i = 0; i < UNESCAPES && mask_unescape(&views[i % 2], &views[(i + 1) % 2]); i++)
		mask_look(s, &views[(i + 1) % 2]);
}

/* --- what is fetched --- */

struct live {
	struct live *next;
	const void  *owner;
	struct mask *sets[2]; /* held; the newest, and the one before; NULL: none */
};

static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static struct live    *live_list;
/* Bytes of the shortest run that one of them hides, so that most texts need no lock; SIZE_MAX: there are none. */
static atomic_size_t live_least = SIZE_MAX;

static void live_measure(void)
{
	size_t least = SIZE_MAX;

	for (const struct live *x = live_list; x; x = x->next)
		for (size_t i = 0; i < ARRAY_LEN(x->sets); i++)
			if (x->sets[i] && x->sets[i]->least < least)
				least = x->sets[i]->least;
	atomic_store(&live_least, least);
}

bool mask_live_put(const void *owner, const struct str *values, size_t count)
{
	struct mask *made = NULL;
	struct mask *old = NULL;
	struct live *x;

	if (!mask_create(values, count, &made))
		return false;
	pthread_mutex_lock(&live_lock);
	for (x = live_list; x && x->owner != owner;)
		x = x->next;
	if (!x && (x = calloc(1, sizeof *x))) {
		*x = (struct live){ live_list, owner, { NULL, NULL } };
		live_list = x;
	}
	if (x) {
		old = x->sets[1];
		x->sets[1] = x->sets[0];
		x->sets[0] = made;
		live_measure();
	}
	pthread_mutex_unlock(&live_lock);
	mask_destroy(x ? old : made);
	return x;
}

void mask_live_drop(const void *owner)
{
	struct live *gone = NULL;

	pthread_mutex_lock(&live_lock);
	for (struct live **at = &live_list; *at && !gone; at = &(*at)->next)
		if ((*at)->owner == owner) {
			gone = *at;
			*at = gone->next;
			live_measure();
			break;
		}
	pthread_mutex_unlock(&live_lock);
	for (size_t i = 0; gone && i < ARRAY_LEN(gone->sets); i++)
		mask_destroy(gone->sets[i]);
	free(gone);
}

static void live_search(struct search *s, struct str text)
{
	if (text.n < atomic_load(&live_least))
		return;
	pthread_mutex_lock(&live_lock);
	for (const struct live *x = live_list; x; x = x->next)
		for (size_t i = 0; i < ARRAY_LEN(x->sets); i++) {
			s->mask = x->sets[i];
			if (s->mask && text.n >= s->mask->least)
				mask_search(s, text);
		}
	pthread_mutex_unlock(&live_lock);
}

bool mask_text(const struct mask *m, struct str text, char *ret, size_t ret_size)
{
	struct search s;
	struct str    key = STR("[key]");
	size_t        n = 0;

	if (text.n > LIMIT_MASK_TEXT)
		text.n = LIMIT_MASK_TEXT;
	s.mask = m;
	s.found = false;
	memset(s.hidden, 0, text.n * sizeof s.hidden[0]);
	/* No reading of a text is longer than the text. */
	if (m && text.n >= m->least)
		mask_search(&s, text);
	live_search(&s, text);
	for (size_t i = 0; i < text.n && n + 1 < ret_size; i++) {
		if (!s.hidden[i]) {
			ret[n++] = (char)mask_shown(text.p[i]);
		} else if (i == 0 || !s.hidden[i - 1]) {
			str_copy(ret + n, ret_size - n, key);
			n += strlen(ret + n);
		}
	}
	ret[n] = '\0';
	return s.found;
}
