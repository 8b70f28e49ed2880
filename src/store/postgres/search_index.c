/* The index of searches.
 *
 * A message's words never change, and a removal takes them out in its own transaction; so what was indexed
 * already, by whichever gateway, need not be looked at again.  The rows that are indexed are locked, so that
 * none is removed or given another title meanwhile. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/postgres/chores.h"
#include "store/postgres/postgres.h"
#include "store/postgres/search_tools.h"

#include <stdlib.h>

enum { INDEX_ROWS = 64, LOOK_US = 2 * 1000 * 1000, POSITIONS = 16383 };

static const char sql_note_title[] = "INSERT INTO search_queue (seq, kind, id) VALUES ($1, 6, $2)";
static const char sql_queue[] =
	"SELECT seq, kind, id FROM search_queue ORDER BY seq LIMIT 64 FOR UPDATE SKIP LOCKED";
/* The messages of each row that are not indexed yet, with the bytes of their bodies. */
static const char sql_messages[] =
	"WITH RECURSIVE q AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], "
	"$3::bigint[]) AS q(seq, kind, id)), "
	"w AS (SELECT q.seq, r.base, 1::bigint AS step, m.id, m.prev FROM q JOIN run r ON r.id = q.id "
	"JOIN message m ON m.id = r.parent WHERE q.kind = 1 AND r.parent <> 0 "
	"AND r.parent <> r.base UNION ALL SELECT w.seq, w.base, w.step + 1, m.id, m.prev FROM w "
	"JOIN message m ON m.id = w.prev WHERE w.prev <> 0 AND w.prev <> w.base AND w.step < $4), "
	"a AS (SELECT seq, id FROM w UNION ALL SELECT seq, id FROM q WHERE kind < 3) "
	"SELECT a.seq, a.id, octet_length(m.body)::bigint FROM a JOIN message m ON m.id = a.id "
	"AND m.run >= 0 WHERE NOT EXISTS (SELECT 1 FROM search s WHERE s.doc = a.id * 2) ORDER BY a.seq";
static const char sql_bodies[] =
	"SELECT m.id, m.owner, m.conversation, m.run, m.body FROM message m "
	"WHERE m.id = ANY($1::bigint[]) AND m.run >= 0 ORDER BY m.id FOR KEY SHARE";
static const char sql_titles[] = "SELECT id, owner, title FROM conversation "
				 "WHERE id = ANY($1::bigint[]) ORDER BY id FOR SHARE";
static const char sql_drop_titles[] = "DELETE FROM search WHERE doc = ANY($1::bigint[])";
static const char sql_add[] =
	"INSERT INTO search (doc, conversation, bytes, v) SELECT s.doc, s.conversation, s.bytes, "
	"s.v::tsvector FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) "
	"AS s(doc, conversation, bytes, v) ON CONFLICT DO NOTHING";
static const char sql_done[] = "DELETE FROM search_queue WHERE seq = ANY($1::bigint[])";

struct index_state {
	struct {
		int64_t seq, kind, id;
	} rows[INDEX_ROWS];
	size_t count; /* number of rows that this work does */
	struct doc {
		int64_t doc, conversation, bytes;
		size_t  at, n; /* its words, in `words` */
	} * docs;              /* owned */
	size_t     doc_count;
	struct buf words;
	int        position;
	bool       failed;
};

static void index_finish(void *state)
{
	struct index_state *s = state;

	free(s->docs);
	buf_finish(&s->words);
}

void search_index_title(struct work *w, int64_t conversation)
{
	struct param *a = work_param(w);

	param_int(a, id_new().key);
	param_int(a, conversation);
	work_ask(w, sql_note_title);
	w->db->search_noted = true;
}

/* Rows that another gateway has noted and not indexed are looked for less often. */
bool search_index_wanted(struct postgres *db)
{
	return db->search_noted || clock_mono_us() - db->search_looked_us >= LOOK_US;
}

/* --- what there is to do --- */

static enum work_next index_take(struct work *w)
{
	int                 rows = work_rows(w, 0);
	struct index_state *s;
	struct param       *a;

	w->db->search_noted |= rows == INDEX_ROWS;
	if (rows == 0)
		return WORK_DONE;
	s = work_state(w, sizeof *s, index_finish);
	if (!s)
		return WORK_DONE;
	buf_init(&s->words, 512 * MIB);
	for (int i = 0; i < rows; i++, s->count++) {
		struct row r = work_row(w, 0, i);

		s->rows[i].seq = cell_int(r, 0);
		s->rows[i].kind = cell_int(r, 1);
		s->rows[i].id = cell_int(r, 2);
	}
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->rows[i].seq));
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->rows[i].kind));
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->rows[i].id));
	param_int(a, LIMIT_BRANCH_LENGTH);
	work_ask(w, sql_messages);
	return WORK_AGAIN;
}

/* index_choose: as many rows as LIMIT_SEARCH_BATCH_READ allows, and one at least. */
static int index_choose(struct work *w, struct index_state *s)
{
	int64_t bytes = 0;
	int     rows = work_rows(w, 0);

	for (int i = 0; i < rows; i++) {
		struct row r = work_row(w, 0, i);

		bytes += cell_int(r, 2);
		if (bytes <= LIMIT_SEARCH_BATCH_READ || cell_int(r, 0) == s->rows[0].seq)
			continue;
		/* The messages of row r, and of the rows after it, are for the next work. */
		while (s->count > 1 && s->rows[s->count - 1].seq >= cell_int(r, 0))
			s->count--;
		w->db->search_noted = true;
		while (i > 0 && cell_int(work_row(w, 0, i - 1), 0) == cell_int(r, 0))
			i--;
		return i;
	}
	return rows;
}

static enum work_next index_read(struct work *w)
{
	struct index_state *s = w->state;
	int                 n = index_choose(w, s);
	struct param       *a = work_param(w);

	PARAM_EACH(a, PARAM_INT, i, (size_t)n, param_int(a, cell_int(work_row(w, 0, (int)i), 1)));
	work_ask(w, sql_bodies);
	a = work_param(w);
	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].kind == 6)
			param_int(a, s->rows[i].id);
	param_end(a);
	work_ask(w, sql_titles);
	return WORK_AGAIN;
}

/* --- words --- */

/* A word has letters, digits and marks alone, so nothing needs to be escaped.  A word after the last
 * position that PostgreSQL knows is found by itself, but not in a phrase. */
static int index_word(void *arg, struct str word, size_t start, size_t end)
{
	struct index_state *s = arg;
	bool                ok;

	(void)start;
	(void)end;
	ok = buf_text(&s->words, "'") && buf_str(&s->words, word);
	if (++s->position <= POSITIONS)
		ok = ok && buf_fmt(&s->words, "':%d ", s->position);
	else
		ok = ok && buf_text(&s->words, "' ");
	return ok ? SQLITE_OK : SQLITE_NOMEM;
}

static void index_doc(struct index_state *s, struct search_tools *t, struct doc d, int64_t owner,
		      enum search_role role, struct str text)
{
	if (text.n == 0)
		return;
	d.at = s->words.len;
	d.bytes = (int64_t)text.n;
	s->position = 0;
	if (search_words_each(&t->words, text, index_word, s) != SQLITE_OK ||
	    !buf_fmt(&s->words, "'.o%llx' '.c%llx' '.r%d'", (unsigned long long)owner,
		     (unsigned long long)d.conversation, (int)role))
		s->failed = true;
	d.n = s->words.len - d.at;
	s->docs[s->doc_count++] = d;
}

static void index_messages(struct work *w, struct index_state *s, struct search_tools *t)
{
	for (int i = 0; i < work_rows(w, 0) && !s->failed; i++) {
		struct row r = work_row(w, 0, i);
		struct doc d = { .doc = search_doc(cell_int(r, 0), false),
				 .conversation = cell_int(r, 2) };

		s->failed = !search_text_read(&t->text, cell_str(r, 4));
		if (!s->failed)
			index_doc(s, t, d, cell_int(r, 1), t->text.role, buf_view(&t->text.text));
	}
	for (int i = 0; i < work_rows(w, 1) && !s->failed; i++) {
		struct row r = work_row(w, 1, i);
		struct doc d = { .doc = search_doc(cell_int(r, 0), true),
				 .conversation = cell_int(r, 0) };

		index_doc(s, t, d, cell_int(r, 1), SEARCH_ROLE_TITLE, cell_str(r, 2));
	}
}

static struct str index_words(const struct index_state *s, size_t i)
{
	return (struct str){ s->words.data + s->docs[i].at, s->docs[i].n };
}

static void index_ask(struct work *w, const struct index_state *s)
{
	struct param *a = work_param(w);

	param_begin(a, PARAM_INT);
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].kind == 6)
			param_int(a, search_doc(s->rows[i].id, true));
	param_end(a);
	work_ask(w, sql_drop_titles);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->doc_count, param_int(a, s->docs[i].doc));
	PARAM_EACH(a, PARAM_INT, i, s->doc_count, param_int(a, s->docs[i].conversation));
	PARAM_EACH(a, PARAM_INT, i, s->doc_count, param_int(a, s->docs[i].bytes));
	PARAM_EACH(a, PARAM_TEXT, i, s->doc_count, param_text(a, index_words(s, i)));
	work_ask(w, sql_add);
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->rows[i].seq));
	work_ask(w, sql_done);
}

static enum work_next index_write(struct work *w)
{
	struct index_state  *s = w->state;
	struct search_tools *t = search_tools_of(&w->db->index);
	size_t               most = (size_t)work_rows(w, 0) + (size_t)work_rows(w, 1);

	s->docs = calloc(most + 1, sizeof *s->docs);
	if (s->docs && t)
		index_messages(w, s, t);
	if (!s->docs || !t || s->failed)
		return WORK_DONE; /* without memory; once more in a while */
	index_ask(w, s);
	return WORK_LAST;
}

enum work_next search_index_step(struct work *w)
{
	switch (w->stage) {
	case 0:
		w->db->search_noted = false;
		w->db->search_looked_us = clock_mono_us();
		work_param(w);
		work_ask(w, sql_queue);
		return WORK_AGAIN;
	case 1: return index_take(w);
	case 2: return index_read(w);
	case 3: return index_write(w);
	default: return WORK_DONE;
	}
}

void search_index_over(struct work *w, const struct fault *f)
{
	if (f && f->kind != FAULT_PG_LOST)
		log_note(LOG_WARN, "search_index", "messages could not be indexed yet: %s",
			 f->text);
	w->db->search_noted |= f != NULL && f->kind == FAULT_PG_AGAIN;
}

struct search_tools *search_tools_of(struct search_tools **tools)
{
	struct search_tools *t = *tools;

	if (t)
		return t;
	t = calloc(1, sizeof *t);
	if (!t || search_words_alone(&t->words) != SQLITE_OK) {
		free(t);
		return NULL;
	}
	search_query_init(&t->query);
	search_snippet_init(&t->snippet);
	search_text_init(&t->text);
	buf_init(&t->match, 64 * KIB);
	return *tools = t;
}

void search_tools_destroy(struct search_tools *t)
{
	if (!t)
		return;
	search_words_close(&t->words);
	search_query_finish(&t->query);
	search_snippet_finish(&t->snippet);
	search_text_finish(&t->text);
	buf_finish(&t->match);
	free(t);
}
