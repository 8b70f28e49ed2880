/* One search: matches of the index, ranked, and the page of hits.
 *
 * The newest LIMIT_SEARCH_WINDOW matches (a window) are ranked and given, the best first; then as many older
 * ones, and so on.  Hits are read from their own tables, some at a time: a message is not shown after its
 * deletion was acknowledged. */

#include "base/clock.h"
#include "base/limits.h"
#include "base/hash.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/postgres/search_tools.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

static const char sql_waiting[] =
	"SELECT EXISTS (SELECT 1 FROM search_queue WHERE seq <= $1)::int::bigint";
static const char sql_wait[] = "SELECT EXISTS (SELECT 1 FROM search_queue WHERE seq <= $1)::int::"
			       "bigint FROM pg_sleep(0.01)";
static const char sql_window[] =
	"SELECT doc, bytes, v FROM search WHERE v @@ $1::text::tsquery AND doc <= $2 "
	"ORDER BY doc DESC LIMIT $3";
/* A conversation without a title is called by its first words, as in lists. */
static const char sql_hits[] =
	"SELECT coalesce(m.secret, t.secret), coalesce(m.created_ms, t.created_ms), m.body, c.id, "
	"c.secret, coalesce(c.title, convert_to(c.opening, 'UTF8')) "
	"FROM unnest($1::bigint[]) WITH ORDINALITY AS w(doc, at) "
	"LEFT JOIN message m ON w.doc & 1 = 0 AND m.id = w.doc >> 1 AND m.owner = $2 AND m.run >= 0 "
	"LEFT JOIN conversation t ON w.doc & 1 = 1 AND t.id = w.doc >> 1 AND t.owner = $2 "
	"AND t.title IS NOT NULL LEFT JOIN conversation c ON c.id = coalesce(m.conversation, t.id) "
	"ORDER BY w.at";

enum {
	USUAL_BYTES = 900, /* same as in store/sqlite/search/search_read.c, like ENOUGH */
	ENOUGH = 100,
	SLICES = 64, /* words of the index that begin with a prefix, in one message */
	HITS = 8,    /* hits read at once */
};

struct search_state {
	int64_t              until_us; /* the index is waited for */
	int64_t              now_key;
	bool                 searching;
	bool                 asked; /* for hits; false: for a window */
	struct search_cursor c;     /* place of the last hit of the page */
	struct search_cursor at;    /* place of the window */
	int64_t              lowest;
	size_t               hits[HITS]; /* places of the candidates that were asked for */
	size_t               hit_count;
};

void search_read_refuse(const struct fault *f, struct err *e)
{
	if (strcmp(f->state, "57014") != 0) {
		fault_refuse(f, e);
		return;
	}
	err_set(e, ERR_OVERLOADED, "",
		"the search took too long; search for rarer words, or in one conversation");
	e->retry_after_ms = 2000;
}

/* --- the query, as the server reads it --- */

static bool match_term(const struct search_query *q, const struct search_term *t, struct buf *out)
{
	bool ok = buf_text(out, "(");

	for (size_t i = 0; ok && i < t->count; i++)
		ok = buf_text(out, i > 0 ? " <-> '" : "'") &&
		     buf_str(out, search_query_word(q, t->first + i)) &&
		     buf_text(out, t->prefix && i + 1 == t->count ? "':*" : "'");
	return ok && buf_text(out, ")");
}

static bool match_print(const struct search_query *q, const struct search_read *j, struct buf *out)
{
	bool ok = buf_fmt(out, "'.o%llx'", (unsigned long long)j->owner);

	if (ok && !id_none(j->conversation))
		ok = buf_fmt(out, " & '.c%llx'", (unsigned long long)j->conversation.key);
	if (ok && j->role >= 0)
		ok = buf_fmt(out, " & '.r%d'", j->role);
	for (size_t i = 0; ok && i < q->term_count; i++)
		ok = buf_text(out, q->terms[i].exclude ? " & !" : " & ") &&
		     match_term(q, &q->terms[i], out);
	return ok;
}

/* --- ranks --- */

/* The places of a word in a message: lists of 2 bytes each, from a tsvector in binary form. */
struct places {
	struct {
		const char *p;
		size_t      n;
	} lists[SLICES];
	size_t count;
	size_t all;
};

static uint16_t place_at(const char *p, size_t i)
{
	uint16_t be;

	memcpy(&be, p + 2 * i, sizeof be);
	return be16toh(be) & 0x3fff;
}

static void places_find(struct str v, struct str word, bool prefix, struct places *ret)
{
	ret->count = ret->all = 0;
	for (size_t at = 4; at < v.n;) {
		const char *end = memchr(v.p + at, '\0', v.n - at);
		uint16_t    be;

		if (!end || (size_t)(v.p + v.n - end) < 3)
			return;
		struct str lexeme = { v.p + at, (size_t)(end - v.p) - at };
		memcpy(&be, end + 1, sizeof be);
		size_t n = be16toh(be);
		at = (size_t)(end - v.p) + 3;
		if (2 * n > v.n - at)
			return;
		if ((prefix ? str_starts(lexeme, word) : str_eq(lexeme, word)) &&
		    ret->count < SLICES) {
			ret->lists[ret->count].p = v.p + at;
			ret->lists[ret->count++].n = n;
			ret->all += n;
		}
		at += 2 * n;
	}
}

static bool places_have(const struct places *x, unsigned place)
{
	for (size_t k = 0; k < x->count; k++)
		for (size_t i = 0; i < x->lists[k].n; i++)
			if (place_at(x->lists[k].p, i) == place)
				return true;
	return false;
}

/* term_count: how often the term is in the message. */
static int term_count(const struct search_query *q, const struct search_term *t, struct str v)
{
	struct places first, next;
	int           found = 0;

	places_find(v, search_query_word(q, t->first), t->prefix && t->count == 1, &first);
	if (t->count == 1)
		return first.all < ENOUGH ? (int)first.all : ENOUGH;
	/* Each further word leaves out places that it does not follow. */
	bool fits[256];
	for (size_t i = 0; i < 256; i++)
		fits[i] = first.count > 0 && i < first.lists[0].n;
	for (size_t k = 1; k < t->count && first.count > 0; k++) {
		places_find(v, search_query_word(q, t->first + k), t->prefix && k + 1 == t->count,
			    &next);
		for (size_t i = 0; i < 256 && i < first.lists[0].n; i++)
			fits[i] = fits[i] &&
				  places_have(&next, place_at(first.lists[0].p, i) + (unsigned)k);
	}
	for (size_t i = 0; i < 256; i++)
		found += fits[i];
	return found < ENOUGH ? found : ENOUGH;
}

static int64_t score_text(const struct search_query *q, struct str v, int64_t bytes)
{
	double sum = 0;
	double length = 1.2 * (0.25 + 0.75 * (double)bytes / (double)USUAL_BYTES);

	for (size_t i = 0; i < q->term_count; i++) {
		if (q->terms[i].exclude)
			continue;
		int found = term_count(q, &q->terms[i], v);
		sum += found * 2.2 / (found + length);
	}
	return (int64_t)(sum * 1e6);
}

static int search_read_by_score(const void *a, const void *b)
{
	const struct search_candidate *x = a;
	const struct search_candidate *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->doc > y->doc ? -1 : x->doc < y->doc;
}

/* --- stages --- */

static void search_ask_window(struct work *w, struct search_state *s, const struct search_tools *t)
{
	struct param *a = work_param(w);

	s->searching = true;
	s->asked = false;
	param_text(a, buf_view(&t->match));
	param_int(a, s->at.top);
	param_int(a, LIMIT_SEARCH_WINDOW);
	work_ask(w, sql_window);
}

static void search_take_window(struct work *w, struct search_state *s, struct search_tools *t)
{
	int     rows = work_rows(w, 0);
	int64_t newest = 0;

	t->count = t->at = 0;
	s->lowest = 0;
	for (int i = 0; i < rows && t->count < LIMIT_SEARCH_WINDOW; i++) {
		struct row r = work_row(w, 0, i);

		s->lowest = cell_int(r, 0);
		newest = newest ? newest : s->lowest;
		t->found[t->count++] =
			(struct search_candidate){ s->lowest, score_text(&t->query, cell_str(r, 2),
									 cell_int(r, 1)) };
	}
	if (s->at.top > newest && s->at.id == 0)
		s->at.top = newest; /* new messages must not move the window */
	qsort(t->found, t->count, sizeof t->found[0], search_read_by_score);
}

/* search_ask_hits: the next candidates; false: none is left in the window. */
static bool search_ask_hits(struct work *w, struct search_state *s, const struct search_read *j,
			    struct search_tools *t)
{
	const struct search_candidate last = { s->at.id, s->at.score };
	struct param                 *a;

	s->hit_count = 0;
	for (; t->at < t->count && s->hit_count < HITS; t->at++) {
		const struct search_candidate *f = &t->found[t->at];

		if ((last.doc != 0 && search_read_by_score(f, &last) <= 0) ||
		    (j->no_titles && search_doc_is_title(f->doc)))
			continue;
		s->hits[s->hit_count++] = t->at;
	}
	if (s->hit_count == 0)
		return false;
	s->asked = true;
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->hit_count, param_int(a, t->found[s->hits[i]].doc));
	param_int(a, j->owner);
	work_ask(w, sql_hits);
	return true;
}

static bool search_keep(struct search_read *j, struct search_tools *t, struct row r,
			const struct search_candidate *f)
{
	bool               of_title = search_doc_is_title(f->doc);
	struct search_hit *h = &j->hits[j->hit_count];
	struct err        *e = &j->job.err;

	*h = (struct search_hit){
		.of_title = of_title,
		.message = of_title ? (struct id){ 0 } : cell_id(search_doc_key(f->doc), r, 0),
		.conversation = cell_id(cell_int(r, 3), r, 4),
		.created_ms = cell_int(r, 1),
		.score = f->score,
	};
	if (!cell_keep(&j->arena, r, 5, &h->title, e))
		return false;
	if (!of_title && !search_text_read(&t->text, cell_str(r, 2))) {
		cell_no_memory(e);
		return false;
	}
	h->role = of_title ? SEARCH_ROLE_TITLE : t->text.role;
	if (search_snippet_make(&t->snippet, &t->words, &t->query,
				of_title ? h->title : buf_view(&t->text.text), &j->arena,
				&h->segments, &h->segment_count, e) != ERR_OK)
		return false;
	j->hit_count++;
	return true;
}

static void search_put_next(struct search_read *j, const struct search_cursor *c)
{
	char text[SEARCH_CURSOR + 1];

	search_cursor_print(c, text);
	j->next = arena_str(&j->arena, (struct str){ text, SEARCH_CURSOR });
	if (!j->next.p)
		cell_no_memory(&j->job.err);
}

/* search_take_hits: false: the page is over. */
static bool search_take_hits(struct work *w, struct search_state *s, struct search_read *j,
			     struct search_tools *t)
{
	for (size_t i = 0; i < s->hit_count; i++) {
		const struct search_candidate *f = &t->found[s->hits[i]];
		struct row                     r = work_row(w, 0, (int)i);

		if (cell_null(r, 0) || cell_null(r, 3))
			continue; /* deleted */
		if (j->hit_count == j->limit) {
			search_put_next(j, &s->c);
			return false;
		}
		if (!search_keep(j, t, r, f))
			return false;
		s->c = s->at;
		s->c.score = f->score;
		s->c.id = f->doc;
	}
	return true;
}

/* search_go_on: with hits of the window, or with the window before it. */
static enum work_next search_go_on(struct work *w, struct search_state *s, struct search_read *j,
				   struct search_tools *t)
{
	if (search_ask_hits(w, s, j, t))
		return WORK_AGAIN;
	if (t->count < LIMIT_SEARCH_WINDOW || s->lowest <= 1)
		return WORK_DONE;
	s->at = (struct search_cursor){ .query = s->c.query, .top = s->lowest - 1 };
	search_ask_window(w, s, t);
	return WORK_AGAIN;
}

static bool search_prepare(struct search_state *s, struct search_read *j, struct search_tools *t)
{
	struct err *e = &j->job.err;

	if (search_query_read(&t->query, &t->words, j->query, e) != ERR_OK)
		return false;
	buf_clear(&t->match);
	j->hits = arena_alloc(&j->arena, j->limit * sizeof *j->hits);
	if (!j->hits || !match_print(&t->query, j, &t->match)) {
		cell_no_memory(e);
		return false;
	}
	s->c = (struct search_cursor){ .query = mix_str(MIX_BEGIN, buf_view(&t->match)),
				       .top = INT64_MAX };
	if (j->after.n > 0) {
		uint64_t query = s->c.query;

		if (!search_cursor_parse(j->after, &s->c) || s->c.query != query) {
			err_set(e, ERR_INVALID_VALUE, "after",
				"must be the next of a page of the same search");
			return false;
		}
	}
	s->at = s->c;
	s->until_us = clock_mono_us() + LIMIT_SEARCH_WAIT_MS * (int64_t)1000;
	s->now_key = id_key_at(clock_wall_ms() + 1);
	return true;
}

static void search_ask_waiting(struct work *w, const struct search_state *s)
{
	param_int(work_param(w), s->now_key);
	work_ask(w, sql_waiting);
}

static enum work_next search_begin(struct work *w, struct search_read *j)
{
	struct search_tools *t = search_tools_of(&w->db->search);
	struct search_state *s = work_state(w, sizeof *s, NULL);

	j->hit_count = 0;
	j->next = STR_NONE;
	j->complete = false;
	if (!t || !s) {
		cell_no_memory(&j->job.err);
		return WORK_DONE;
	}
	if (!search_prepare(s, j, t))
		return WORK_DONE;
	search_ask_waiting(w, s);
	return WORK_AGAIN;
}

static enum work_next search_read_step(struct work *w, struct search_read *j)
{
	struct search_state *s = w->state;
	struct search_tools *t = w->db->search;

	if (w->stage == 0)
		return search_begin(w, j);
	if (!s->searching) {
		bool waiting = cell_int(work_row(w, 0, 0), 0) != 0;

		if (waiting && clock_mono_us() < s->until_us) {
			/* Another gateway's rows, too. */
			w->db->search_looked_us = 0;
			w->db->search_noted = true;
			param_int(work_param(w), s->now_key);
			work_ask(w, sql_wait);
			return WORK_AGAIN;
		}
		j->complete = !waiting;
		search_ask_window(w, s, t);
		return WORK_AGAIN;
	}
	if (!s->asked)
		search_take_window(w, s, t);
	else if (!search_take_hits(w, s, j, t))
		return WORK_DONE;
	return search_go_on(w, s, j, t);
}

OP(search_read, WORK_IMPLICIT, search_read_step);
