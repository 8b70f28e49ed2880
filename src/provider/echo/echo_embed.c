/* Texts with common words get similar vectors: each word has a direction of its own, and the vector
 * of a text is the sum of its words, scaled to the length 1. */
#include "provider/echo/echo_embed.h"

#include "base/hash.h"
#include "json/scan.h"
#include "provider/ask_param.h"
#include "provider/openai/embed.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 4 }; /* numbers of the vector that one word changes */

struct sum {
	float   v[ECHO_DIMENSIONS_MAX];
	size_t  n;
	int64_t words; /* words of all texts */
};

/* echo_embed_mix: the last step of splitmix64: every bit depends on all others. */
static uint64_t echo_embed_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void add_word(struct sum *s, uint64_t word)
{
	s->words++;
	for (uint64_t i = 1; i <= PLACES; i++) {
		uint64_t x = echo_embed_mix(word + i * 0x9e3779b97f4a7c15u);

		s->v[x % s->n] += x >> 63 ? 1.0f : -1.0f;
	}
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space separates words; the case of ASCII letters does not matter. */
static void echo_embed_add_text(struct sum *s, struct str text)
{
	for (size_t i = 0; i < text.n;) {
		uint64_t hash = MIX_BEGIN;

		while (i < text.n && is_space(text.p[i]))
			i++;
		if (i == text.n)
			return;
		for (; i < text.n && !is_space(text.p[i]); i++) {
			unsigned char c = (unsigned char)text.p[i];

			hash = mix_byte(hash, c >= 'A' && c <= 'Z' ? c + 32 : c);
		}
		add_word(s, hash);
	}
}

static enum errc add_value(struct sum *s, const struct json_doc *d, json_at i, struct buf *text,
			   struct err *e)
{
	struct str raw = json_raw(d, i);

	if (json_kind(d, i) == JSON_STRING) {
		buf_clear(text);
		if (!json_unescape(json_inner(d, i), text))
			return err_set(e, ERR_OVERLOADED, NULL, "out of memory");
		raw = buf_view(text);
	}
	echo_embed_add_text(s, raw);
	return ERR_OK;
}

static enum errc echo_embed_put(struct sum *s, struct embed_list *l, struct err *e)
{
	float square = 0;

	for (size_t i = 0; i < s->n; i++)
		square += s->v[i] * s->v[i];
	/* Without words, or if the words cancel each other, the vector still needs a direction. */
	if (square < 1)
		s->v[0] = square = 1;
	for (size_t i = 0; i < s->n; i++)
		s->v[i] /= sqrtf(square);
	enum errc rc = embed_list_floats(l, s->v, s->n, e);
	memset(s->v, 0, sizeof s->v);
	return rc;
}

static enum errc echo_embed_put_one(struct sum *s, const struct json_doc *d, json_at i,
				    struct buf *text, struct embed_list *l, struct err *e)
{
	enum errc rc = ERR_OK;

	if (json_kind(d, i) != JSON_ARRAY)
		rc = add_value(s, d, i, text, e);
	else
		for (json_at k = json_first(d, i); rc == ERR_OK && k != json_end(d, i);
		     k = json_next(d, k))
			rc = add_value(s, d, k, text, e);
	return rc != ERR_OK ? rc : echo_embed_put(s, l, e);
}

static enum errc echo_embed_put_all(struct sum *s, const struct json_doc *d, size_t count,
				    struct buf *text, struct embed_list *l, struct err *e)
{
	bool many = json_kind(d, 0) == JSON_ARRAY && d->tok[0].count == count &&
		    json_kind(d, json_first(d, 0)) != JSON_NUMBER;
	enum errc rc = ERR_OK;

	if (!many)
		return echo_embed_put_one(s, d, 0, text, l, e);
	for (json_at i = json_first(d, 0); rc == ERR_OK && i != json_end(d, 0); i = json_next(d, i))
		rc = echo_embed_put_one(s, d, i, text, l, e);
	return rc;
}

static enum errc read_dimensions(const struct prompt *p, size_t *ret, struct err *e)
{
	struct str      raw = ask_param_value(p, "dimensions");
	struct json_doc d = { 0 };
	struct err      ignored;
	int64_t         n = ECHO_DIMENSIONS;
	bool            ok = raw.n == 0 ||
		  (json_scan(&d, raw.p, raw.n, &json_limits_request, &ignored) == ERR_OK &&
		   json_int(&d, 0, &n) && n >= 1 && n <= ECHO_DIMENSIONS_MAX);

	json_doc_finish(&d);
	if (!ok)
		return err_set(e, ERR_INVALID_VALUE, "dimensions",
			       "a provider of dialect echo takes 1 to %d dimensions",
			       ECHO_DIMENSIONS_MAX);
	*ret = (size_t)n;
	return ERR_OK;
}

enum errc echo_embed(const struct prompt *p, struct buf *ret, struct usage *ret_usage,
		     struct err *e)
{
	struct sum         s = { .n = 0 };
	struct json_doc    d = { 0 };
	struct embed_list  l;
	struct buf         text;
	struct embed_want *want = embed_want_create(p);
	enum errc          rc = read_dimensions(p, &s.n, e);

	if (rc == ERR_OK && !want)
		rc = err_set(e, ERR_OVERLOADED, NULL, "out of memory");
	if (rc == ERR_OK)
		rc = json_scan(&d, p->embed->input.p, p->embed->input.n, &json_limits_request, e);
	embed_list_begin(&l, want);
	buf_init(&text, LIMIT_BODY_MAX);
	if (rc == ERR_OK)
		rc = echo_embed_put_all(&s, &d, p->embed->count, &text, &l, e);
	*ret_usage = (struct usage){ .known = true, .in = s.words > 0 ? s.words : 1 };
	if (rc == ERR_OK)
		rc = embed_list_end(&l, STR_NONE, ret_usage, e);
	buf_finish(&text);
	json_doc_finish(&d);
	free(want);
	*ret = l.out;
	return rc;
}
