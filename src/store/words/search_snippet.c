/* Finds the matches in a message again, and cuts the stretch around the best of them. */
#include "store/words/search_snippet.h"
#include "store/search.h"

#include <stdlib.h>

enum {
	LEAD = 60,    /* bytes before the first match */
	LENGTH = 240, /* bytes of the stretch */
	MOST = 480,   /* bytes of a stretch whose first match is longer */
};

#define ELLIPSIS "\xe2\x80\xa6"

void search_snippet_init(struct search_snippet *s)
{
	*s = (struct search_snippet){ .places = NULL };
	buf_init(&s->words, 8 * LIMIT_SEARCH_TEXT);
}

void search_snippet_finish(struct search_snippet *s)
{
	free(s->places);
	s->places = NULL;
	buf_finish(&s->words);
}

/* --- words and matches --- */

static int search_snippet_on_word(void *arg, struct str word, size_t start, size_t end)
{
	struct search_snippet *s = arg;

	if (s->count == s->cap) {
		size_t               cap = s->cap ? 2 * s->cap : 1024;
		struct search_place *grown = realloc(s->places, cap * sizeof *grown);

		if (!grown)
			return SQLITE_NOMEM;
		s->places = grown;
		s->cap = cap;
	}
	s->places[s->count++] = (struct search_place){ start, end, s->words.len, word.n };
	return buf_str(&s->words, word) ? SQLITE_OK : SQLITE_NOMEM;
}

static bool search_snippet_same(const struct search_snippet *s, size_t place, struct str word,
				bool prefix)
{
	struct str is = { s->words.data + s->places[place].at, s->places[place].n };

	return prefix ? str_starts(is, word) : str_eq(is, word);
}

static bool matches_at(const struct search_snippet *s, const struct search_query *q,
		       const struct search_term *t, size_t place)
{
	for (size_t i = 0; i < t->count; i++)
		if (!search_snippet_same(s, place + i, search_query_word(q, t->first + i),
					 t->prefix && i + 1 == t->count))
			return false;
	return true;
}

static void find_matches(struct search_snippet *s, const struct search_query *q)
{
	s->match_count = 0;
	for (size_t at = 0; at < s->count; at++)
		for (unsigned i = 0; i < q->term_count; i++) {
			const struct search_term *t = &q->terms[i];

			if (t->exclude || at + t->count > s->count || !matches_at(s, q, t, at))
				continue;
			if (s->match_count == SEARCH_MATCHES)
				return;
			s->matches[s->match_count++] =
				(struct search_match){ s->places[at].start,
						       s->places[at + t->count - 1].end, i };
		}
}

/* --- the stretch --- */

static unsigned search_snippet_kinds(const struct search_snippet *s, size_t first)
{
	size_t   end = s->matches[first].start + LENGTH - LEAD;
	unsigned seen = 0;
	unsigned n = 0;

	for (size_t i = first; i < s->match_count && s->matches[i].start < end; i++)
		if (s->matches[i].end <= end && !(seen & 1u << s->matches[i].term)) {
			seen |= 1u << s->matches[i].term;
			n++;
		}
	return n;
}
_Static_assert(LIMIT_SEARCH_TERMS <= 32, "a bit for each term");

static size_t search_snippet_best(const struct search_snippet *s)
{
	size_t   at = 0;
	unsigned most = 0;

	for (size_t i = 0; i < s->match_count; i++) {
		unsigned n = search_snippet_kinds(s, i);

		if (n > most) {
			most = n;
			at = i;
		}
	}
	return at;
}

static size_t search_snippet_boundary(struct str text, size_t at)
{
	while (at > 0 && at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
		at--;
	return at < text.n ? at : text.n;
}

/* The stretch begins where a word begins and ends where a word ends, and has the whole first match
 * if MOST allows. */
static void search_snippet_choose(const struct search_snippet *s, struct str text, size_t *ret_from,
				  size_t *ret_to)
{
	size_t start = 0;
	size_t end = 0;

	if (s->match_count > 0) {
		size_t first = search_snippet_best(s);

		start = s->matches[first].start;
		end = s->matches[first].end;
	}
	size_t from = start > LEAD ? start : 0;
	size_t to = end;
	for (size_t i = 0; i < s->count; i++) {
		const struct search_place *p = &s->places[i];

		if (p->start < from && p->start + LEAD >= start)
			from = p->start;
		if (p->end > to && p->end <= from + LENGTH)
			to = p->end;
	}
	if (text.n <= from + LENGTH)
		to = text.n;
	if (to - from > MOST)
		to = search_snippet_boundary(text, from + MOST);
	if (to == from)
		to = search_snippet_boundary(text, from + LENGTH);
	*ret_from = from;
	*ret_to = to;
}

/* --- segments --- */

struct segments {
	struct arena          *arena;
	struct search_segment *all;
	size_t                 count;
	struct buf             text;
};

static bool put_plain(struct segments *g, struct str s)
{
	bool blank = false;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool          is = c <= 0x20 || c == 0x7f;

		if (!(is && blank) && !buf_add(&g->text, is ? " " : &s.p[i], 1))
			return false;
		blank = is;
	}
	return true;
}

static bool put_segment(struct segments *g, bool match)
{
	struct str text = arena_str(g->arena, buf_view(&g->text));

	if (!text.p)
		return false;
	if (text.n > 0)
		g->all[g->count++] = (struct search_segment){ text, match };
	buf_clear(&g->text);
	return true;
}

static bool search_snippet_put_all(struct segments *g, const struct search_snippet *s,
				   struct str text, size_t from, size_t to)
{
	size_t at = from;

	if (from > 0 && !buf_text(&g->text, ELLIPSIS))
		return false;
	for (size_t i = 0; i < s->match_count; i++) {
		size_t start = s->matches[i].start > at ? s->matches[i].start : at;
		size_t end = s->matches[i].end;

		/* Matches that overlap become one segment. */
		for (; i + 1 < s->match_count && s->matches[i + 1].start < end; i++)
			if (s->matches[i + 1].end > end)
				end = s->matches[i + 1].end;
		end = end < to ? end : to;
		if (end <= start)
			continue;
		if (!put_plain(g, (struct str){ text.p + at, start - at }) ||
		    !put_segment(g, false) ||
		    !put_plain(g, (struct str){ text.p + start, end - start }) ||
		    !put_segment(g, true))
			return false;
		at = end;
	}
	return put_plain(g, (struct str){ text.p + at, to - at }) &&
	       (to == text.n || buf_text(&g->text, ELLIPSIS)) && put_segment(g, false);
}

static size_t search_snippet_inside(const struct search_snippet *s, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->match_count; i++)
		n += s->matches[i].start < to && s->matches[i].end > from;
	return n;
}

enum errc search_snippet_make(struct search_snippet *s, const struct search_words *w,
			      const struct search_query *q, struct str text, struct arena *a,
			      struct search_segment **ret, size_t *ret_count, struct err *e)
{
	struct segments g = { .arena = a };
	size_t          from;
	size_t          to;

	s->count = 0;
	buf_clear(&s->words);
	buf_init(&g.text, 4 * MOST);
	bool ok = search_words_each(w, text, search_snippet_on_word, s) == SQLITE_OK;
	if (ok) {
		find_matches(s, q);
		search_snippet_choose(s, text, &from, &to);
		g.all = arena_alloc(a,
				    (2 * search_snippet_inside(s, from, to) + 1) * sizeof *g.all);
		ok = g.all && search_snippet_put_all(&g, s, text, from, to);
	}
	buf_finish(&g.text);
	if (!ok) {
		return err_set(e, ERR_OVERLOADED, "", "the gateway is out of memory");
	}
	*ret = g.all;
	*ret_count = g.count;
	return ERR_OK;
}
