/* Reads a typed query into terms, and prints them as an expression of FTS5; and the places in lists of hits. */
#include "store/words/search_query.h"

#include <stdio.h>

void search_query_init(struct search_query *q)
{
	*q = (struct search_query){ .term_count = 0 };
	buf_init(&q->text, 4 * LIMIT_SEARCH_QUERY);
}

void search_query_finish(struct search_query *q)
{
	buf_finish(&q->text);
}

struct str search_query_word(const struct search_query *q, size_t i)
{
	return (struct str){ q->text.data + q->words[i].at, q->words[i].n };
}

/* --- cutting --- */

static bool search_query_blank(unsigned v)
{
	return v <= 0x20 || v == 0x7f || v == 0x85 || v == 0xa0 || v == 0x1680 ||
	       (v >= 0x2000 && v <= 0x200a) || v == 0x2028 || v == 0x2029 || v == 0x202f ||
	       v == 0x205f || v == 0x3000;
}

/* Phones and word processors turn " into other quotes. */
static bool search_query_quote(unsigned v)
{
	return v == '"' || v == 0x201c || v == 0x201d || v == 0x201e || v == 0xff02;
}

/* A word or a phrase as it was typed, without - and quotes. */
struct piece {
	struct str text;
	bool       prefix;
	bool       exclude;
};

static unsigned peek_character(struct str s, size_t at)
{
	return at < s.n ? search_utf8(s, &at) : 0;
}

/* Takes the text from *at, after the opening quote, up to the closing one, or to the end of s if
 * there is none. */
static void take_quoted(struct str s, size_t *at, struct piece *ret)
{
	size_t from = *at;
	size_t end = s.n;

	while (*at < s.n) {
		size_t here = *at;

		if (search_query_quote(search_utf8(s, at))) {
			end = here;
			break;
		}
	}
	ret->text = (struct str){ s.p + from, end - from };
	if (end < s.n && peek_character(s, *at) == '*') {
		ret->prefix = true;
		++*at;
	}
}

static void take_word(struct str s, size_t *at, struct piece *ret)
{
	size_t from = *at;

	while (*at < s.n) {
		unsigned v = peek_character(s, *at);

		if (search_query_blank(v) || search_query_quote(v))
			break;
		(void)search_utf8(s, at);
	}
	ret->text = (struct str){ s.p + from, *at - from };
	ret->prefix = ret->text.n > 0 && s.p[*at - 1] == '*';
}

/* False: nothing but blanks is left. */
static bool take_piece(struct str s, size_t *at, struct piece *ret)
{
	size_t   next;
	unsigned v = 0;

	*ret = (struct piece){ .prefix = false };
	while (*at < s.n && search_query_blank(peek_character(s, *at)))
		(void)search_utf8(s, at);
	if (*at == s.n)
		return false;
	if (s.p[*at] == '-') {
		ret->exclude = true;
		++*at;
		if (*at == s.n || search_query_blank(peek_character(s, *at)))
			return true; /* a dash between two words */
	}
	next = *at;
	v = search_utf8(s, &next);
	if (!search_query_quote(v)) {
		take_word(s, at, ret);
		return true;
	}
	*at = next;
	take_quoted(s, at, ret);
	return true;
}

/* --- words --- */

static int search_query_on_word(void *arg, struct str word, size_t start, size_t end)
{
	struct search_query *q = arg;

	(void)start;
	(void)end;
	if (q->word_count == LIMIT_SEARCH_WORDS)
		return SQLITE_FULL;
	q->words[q->word_count].at = q->text.len;
	q->words[q->word_count].n = word.n;
	q->word_count++;
	return buf_str(&q->text, word) ? SQLITE_OK : SQLITE_TOOBIG;
}

static size_t search_query_letters(struct str word)
{
	size_t n = 0;

	for (size_t at = 0; at < word.n; n++)
		(void)search_utf8(word, &at);
	return n;
}

static enum errc too_many(struct err *e)
{
	return err_set(e, ERR_INVALID_VALUE, "q",
		       "has too many words (at most %d words and phrases)", LIMIT_SEARCH_TERMS);
}

static enum errc add_term(struct search_query *q, const struct search_words *w,
			  const struct piece *p, struct err *e)
{
	struct search_term t = { .first = q->word_count,
				 .prefix = p->prefix,
				 .exclude = p->exclude };
	size_t             at = 0;
	int                rc = search_words_each(w, p->text, search_query_on_word, q);

	if (rc == SQLITE_FULL || rc == SQLITE_TOOBIG)
		return too_many(e);
	if (rc != SQLITE_OK)
		return err_set(e, ERR_OVERLOADED, "", "the gateway is out of memory");
	t.count = q->word_count - t.first;
	if (t.count == 0)
		return ERR_OK; /* nothing but punctuation */
	if (q->term_count == LIMIT_SEARCH_TERMS)
		return too_many(e);

	struct str last = search_query_word(q, q->word_count - 1);
	if (search_token_alone(search_utf8(last, &at)))
		t.prefix = false; /* no word begins with such a character and goes on */
	if (t.prefix && search_query_letters(last) < LIMIT_SEARCH_PREFIX)
		return err_set(e, ERR_INVALID_VALUE, "q",
			       "needs at least %d letters in front of a *", LIMIT_SEARCH_PREFIX);
	q->terms[q->term_count++] = t;
	return ERR_OK;
}

enum errc search_query_read(struct search_query *q, const struct search_words *w, struct str typed,
			    struct err *e)
{
	struct piece p;
	size_t       at = 0;
	bool         any = false;

	q->term_count = 0;
	q->word_count = 0;
	buf_clear(&q->text);
	while (take_piece(typed, &at, &p))
		if (add_term(q, w, &p, e) != ERR_OK)
			return e->code;
	for (size_t i = 0; i < q->term_count; i++)
		any |= !q->terms[i].exclude;
	if (!any)
		return err_set(e, ERR_INVALID_VALUE, "q", "has no word to search for");
	return ERR_OK;
}

/* --- the expression --- */

/* A word needs no escaping: the tokenizer leaves only letters, digits, marks and characters that
 * are words of their own.  FTS5 tokenizes the word again, which does not change it. */
static bool put_term(const struct search_query *q, const struct search_term *t, struct buf *out)
{
	if (!buf_text(out, "\""))
		return false;
	for (size_t i = 0; i < t->count; i++)
		if ((i > 0 && !buf_text(out, " ")) ||
		    !buf_str(out, search_query_word(q, t->first + i)))
			return false;
	return buf_text(out, t->prefix ? "\" *" : "\"");
}

static bool put_terms(const struct search_query *q, bool excluded, const char *between,
		      struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < q->term_count; i++) {
		if (q->terms[i].exclude != excluded)
			continue;
		if (!buf_text(out, any ? between : "(") || !put_term(q, &q->terms[i], out))
			return false;
		any = true;
	}
	return !any || buf_text(out, ")");
}

static bool put_scope(struct str scope, struct buf *out)
{
	bool any = false;

	for (size_t from = 0; from < scope.n;) {
		const char *end = memchr(scope.p + from, ' ', scope.n - from);
		size_t      n = end ? (size_t)(end - scope.p) - from : scope.n - from;

		if (!buf_text(out, any ? " AND \"" : "\"") ||
		    !buf_str(out, (struct str){ scope.p + from, n }) || !buf_text(out, "\""))
			return false;
		any = true;
		from += n + 1;
	}
	return true;
}

bool search_query_print(const struct search_query *q, struct str scope, struct buf *out)
{
	bool excludes = false;

	for (size_t i = 0; i < q->term_count; i++)
		excludes |= q->terms[i].exclude;
	return buf_text(out, "(text : (") && put_terms(q, false, " AND ", out) &&
	       (!excludes || (buf_text(out, " NOT ") && put_terms(q, true, " OR ", out))) &&
	       buf_text(out, "))") &&
	       (scope.n == 0 ||
		(buf_text(out, " AND (scope : (") && put_scope(scope, out) && buf_text(out, "))")));
}

void search_cursor_print(const struct search_cursor *c, char ret[SEARCH_CURSOR + 1])
{
	snprintf(ret, SEARCH_CURSOR + 1, "%016llx%016llx%016llx%016llx",
		 (unsigned long long)c->query, (unsigned long long)c->top,
		 (unsigned long long)c->score, (unsigned long long)c->id);
}

static bool cursor_hex_digit(char c, uint64_t *v)
{
	if (c >= '0' && c <= '9')
		*v = *v << 4 | (uint64_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*v = *v << 4 | (uint64_t)(c - 'a' + 10);
	else
		return false;
	return true;
}

bool search_cursor_parse(struct str text, struct search_cursor *ret)
{
	uint64_t v[4] = { 0 };

	if (text.n != SEARCH_CURSOR)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!cursor_hex_digit(text.p[i], &v[i / 16]))
			return false;
	if (v[1] > INT64_MAX || v[2] > INT64_MAX || v[3] > INT64_MAX)
		return false;
	*ret = (struct search_cursor){ v[0], (int64_t)v[1], (int64_t)v[2], (int64_t)v[3] };
	return true;
}
