/* One search: the matches of the index, the messages of the database, and the page of hits. */
#include "store/sqlite/search/search.h"

#include "base/base.h"
#include "base/clock.h"
#include "base/hash.h"
#include "store/search.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/search/search_index.h"
#include "store/words/search_query.h"
#include "store/words/search_token.h"

#include <sqlite3.h>
#include <stdlib.h>

/* --- how well a message matches: a function of FTS5, score(entry, bytes), with the length of the message's text ---
 *
 * The score is that of BM25 in millionths, from the number of matches and the length of the message, but without
 * the rarity of the words: rarity needs a look at every match, and changes little where all words must match.  The
 * score depends on the message alone, so pages stay in order while new messages come in. */

enum {
	USUAL_BYTES = 900, /* BM25's average length; a constant, so that scores never change */
	ENOUGH = 100,      /* matches of a phrase that are counted; more hardly change the score */
};

static int search_rank_count(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase, int *ret)
{
	Fts5PhraseIter at;
	int            column;
	int            offset;
	int            rc = api->xPhraseFirst(fts, phrase, &at, &column, &offset);

	*ret = 0;
	/* Matches come in the order of columns: those in the text (0) before those in the scope. */
	while (rc == SQLITE_OK && column == 0 && *ret < ENOUGH) {
		++*ret;
		api->xPhraseNext(fts, &at, &column, &offset);
	}
	return rc;
}

static void search_rank_score(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx,
			      int n, sqlite3_value **args)
{
	double sum = 0;
	double bytes = n > 0 ? (double)sqlite3_value_int64(args[0]) : 0;
	double length = 1.2 * (0.25 + 0.75 * bytes / (double)USUAL_BYTES);
	int    rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && i < api->xPhraseCount(fts); i++) {
		int found;

		rc = search_rank_count(api, fts, i, &found);
		sum += found * 2.2 / (found + length);
	}
	if (rc == SQLITE_OK)
		sqlite3_result_int64(ctx, (sqlite3_int64)(sum * 1e6));
	else
		sqlite3_result_error_code(ctx, rc);
}

/* search_rank_register: an SQLite code. */
static int search_rank_register(sqlite3 *db)
{
	fts5_api *api;
	int       rc = search_token_api(db, &api);

	return rc == SQLITE_OK ? api->xCreateFunction(api, "score", NULL, search_rank_score, NULL)
			       : rc;
}

static const char sql_source[] =
	"SELECT instance, ifnull((SELECT seq FROM search_queue ORDER BY seq DESC LIMIT 1), 0) "
	"FROM search_source";
/* A conversation without a title is called by its first words, as in lists. */
static const char sql_hit[] =
	"SELECT m.secret, m.created_ms, m.body, c.id, c.secret, ifnull(c.title, c.opening) "
	"FROM message m JOIN conversation c ON c.id = m.conversation "
	"WHERE m.id = ? AND m.owner = ? AND m.run >= 0";
static const char sql_title[] =
	"SELECT secret, created_ms, title, id, secret, title "
	"FROM conversation WHERE id = ? AND owner = ? AND title IS NOT NULL";
static const char sql_alone[] = "SELECT (SELECT min(owner) FROM conversation) IS "
				"(SELECT max(owner) FROM conversation)";

static const char sql_window[] =
	"SELECT rowid, score(entry, (SELECT bytes FROM doc WHERE id = entry.rowid)) "
	"FROM entry WHERE entry MATCH ?1 AND rowid <= ?2 ORDER BY rowid DESC LIMIT ?3";

enum { OUT_OF_TIME_OPS = 1000 }; /* steps of SQLite's machine between two checks of the clock */

void search_reads_init(struct search_reads *r, struct conn *conn, struct search *search,
		       int64_t busy_ms)
{
	r->conn = conn;
	r->search = search;
	r->busy_ms = busy_ms;
	search_query_init(&r->query);
	search_snippet_init(&r->snippet);
	search_text_init(&r->text);
	buf_init(&r->match, 64 * KIB);
}

static void close_index(struct search_reads *r)
{
	(void)sqlite3_finalize(r->window);
	r->window = NULL;
	db_close(r->index);
	r->index = NULL;
}

void search_reads_finish(struct search_reads *r)
{
	close_index(r);
	search_words_close(&r->words);
	search_query_finish(&r->query);
	search_snippet_finish(&r->snippet);
	search_text_finish(&r->text);
	buf_finish(&r->match);
}

/* --- the index --- */

/* The tokenizer has an empty database of its own, and so works without the index. */
static int open_words(struct search_reads *r)
{
	return r->words.with ? SQLITE_OK : search_words_alone(&r->words);
}

static int on_progress(void *arg)
{
	const struct search_reads *r = arg;

	return r->job && (clock_mono_us() > r->deadline_us ||
			  atomic_load_explicit(&r->job->cancelled, memory_order_relaxed));
}

static int search_read_open_index(struct search_reads *r)
{
	struct err e;
	int        moved = 0;

	if (r->index &&
	    (sqlite3_file_control(r->index, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
	     moved != 0))
		close_index(r);
	if (r->index)
		return SQLITE_OK;
	if (db_open(search_path(r->search), DB_READ, r->busy_ms, &r->index, &e) != ERR_OK)
		return SQLITE_CANTOPEN;
	int rc = search_token_register(r->index);
	if (rc == SQLITE_OK)
		rc = search_rank_register(r->index);
	sqlite3_progress_handler(r->index, OUT_OF_TIME_OPS, on_progress, r);
	if (rc != SQLITE_OK)
		close_index(r);
	return rc;
}

static void search_read_refuse(struct search_reads *r, struct err *e, int rc)
{
	if ((rc & 0xff) == SQLITE_INTERRUPT) {
		err_set(e, ERR_OVERLOADED, "",
			"the search took too long; search for rarer words, or in one conversation");
		e->retry_after_ms = 2000;
		return;
	}
	if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
		search_damaged(r->search);
	close_index(r);
	err_set(e, ERR_STORAGE, "",
		"the search index can't be used at the moment; try again later");
	e->retry_after_ms = 2000;
}

/* Checks that the index belongs to the database, and whether it is complete.  The queue's end is
 * read before the index's mark: an index that reaches this end had all messages of that moment. */
static int check_index(struct search_reads *r, struct search_read *j, bool *ret_ready)
{
	sqlite3_stmt      *st;
	unsigned char      instance[SEARCH_INSTANCE] = { 0 };
	struct search_mark mark;
	int64_t            count;
	int                rc = conn_row(r->conn, sql_source, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	struct str is = db_blob(st, 0);
	if (is.n == sizeof instance)
		memcpy(instance, is.p, is.n);
	int64_t last = db_int(st, 1);
	(void)sqlite3_reset(st);

	search_catch_up(r->search, last, clock_mono_us() + LIMIT_SEARCH_WAIT_MS * (int64_t)1000);
	rc = search_ready(r->search) ? search_read_open_index(r) : SQLITE_CANTOPEN;
	if (rc == SQLITE_OK)
		rc = search_index_check(r->index, instance, &mark, &count);
	if (rc == SQLITE_OK && !r->window)
		rc = sqlite3_prepare_v3(r->index, sql_window, -1, SQLITE_PREPARE_PERSISTENT,
					&r->window, NULL);
	*ret_ready = rc == SQLITE_OK;
	if ((rc == SQLITE_MISMATCH || rc == SQLITE_CANTOPEN) && !search_in_trouble(r->search)) {
		close_index(r); /* the indexer is making a new one */
		return SQLITE_OK;
	}
	if (rc != SQLITE_OK) {
		search_read_refuse(r, &j->job.err, rc);
		return SQLITE_OK;
	}
	j->complete = mark.complete && mark.seq >= last;
	return SQLITE_OK;
}

/* --- candidates --- */

static int by_score(const void *a, const void *b)
{
	const struct search_candidate *x = a;
	const struct search_candidate *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

/* Reads the window of the newest matches up to id `top`, and sorts it by score.  *ret_newest and
 * *ret_lowest: the highest and the lowest id in the window; 0: the window is empty. */
static int read_window(struct search_reads *r, int64_t top, int64_t *ret_newest,
		       int64_t *ret_lowest)
{
	sqlite3_stmt  *st = r->window;
	struct db_bind b = db_bind(st);

	r->found_count = 0;
	db_bind_text(&b, buf_view(&r->match));
	db_bind_int(&b, top);
	db_bind_int(&b, LIMIT_SEARCH_WINDOW);
	int rc = db_bind_row(&b);
	for (; rc == SQLITE_ROW && r->found_count < LIMIT_SEARCH_WINDOW; rc = db_row(st))
		r->found[r->found_count++] =
			(struct search_candidate){ db_int(st, 0), db_int(st, 1) };
	(void)sqlite3_reset(st);
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		return rc;
	*ret_newest = r->found_count > 0 ? r->found[0].id : 0;
	*ret_lowest = r->found_count > 0 ? r->found[r->found_count - 1].id : 0;
	qsort(r->found, r->found_count, sizeof r->found[0], by_score);
	return SQLITE_OK;
}

/* --- hits --- */

static const char *sql_of(int64_t doc)
{
	return search_index_is_title(doc) ? sql_title : sql_hit;
}

/* SQLITE_ROW: the message or title exists and is the owner's; the caller resets the statement. */
static int find_hit(struct search_reads *r, int64_t owner, int64_t doc)
{
	struct db_bind b = conn_bind(r->conn, sql_of(doc));

	db_bind_int(&b, search_index_key(doc));
	db_bind_int(&b, owner);
	return db_bind_row(&b);
}

static enum errc keep_hit(struct search_reads *r, struct search_read *j,
			  const struct search_candidate *c)
{
	bool               of_title = search_index_is_title(c->id);
	sqlite3_stmt      *st = conn_st(r->conn, sql_of(c->id));
	struct search_hit *h = &j->hits[j->hit_count];
	struct err        *e = &j->job.err;

	*h = (struct search_hit){
		.of_title = of_title,
		.message = of_title ? (struct id){ 0 } : db_id(search_index_key(c->id), st, 0),
		.conversation = db_id(db_int(st, 3), st, 4),
		.created_ms = db_int(st, 1),
		.score = c->score,
	};
	if (!cell_keep(&j->arena, row_of(st), 5, &h->title, e))
		return e->code;
	if (!of_title && !search_text_read(&r->text, db_column(st, 2))) {
		cell_no_memory(e);
		return e->code;
	}
	h->role = of_title ? SEARCH_ROLE_TITLE : r->text.role;
	if (search_snippet_make(&r->snippet, &r->words, &r->query,
				of_title ? h->title : buf_view(&r->text.text), &j->arena,
				&h->segments, &h->segment_count, e) != ERR_OK)
		return e->code;
	j->hit_count++;
	return ERR_OK;
}

/* Adds the window's hits after *c to the page, and moves *c to the last one added.  *ret_more: the
 * page is full, and a further hit exists. */
static int take_window(struct search_reads *r, struct search_read *j, struct search_cursor *c,
		       bool *ret_more)
{
	const struct search_candidate last = { c->id, c->score };

	for (size_t i = 0; i < r->found_count; i++) {
		const struct search_candidate *f = &r->found[i];

		if (last.id != 0 && by_score(f, &last) <= 0)
			continue; /* on an earlier page */
		if (j->no_titles && search_index_is_title(f->id))
			continue;
		if (on_progress(r))
			return SQLITE_INTERRUPT;
		int rc = find_hit(r, j->owner, f->id);
		if (rc == SQLITE_DONE)
			continue; /* deleted */
		if (rc != SQLITE_ROW)
			return rc;
		*ret_more = j->hit_count == j->limit;
		if (!*ret_more && keep_hit(r, j, f) == ERR_OK) {
			c->score = f->score;
			c->id = f->id;
		}
		(void)sqlite3_reset(conn_st(r->conn, sql_of(f->id)));
		if (*ret_more || j->job.err.code != ERR_OK)
			return SQLITE_OK;
	}
	return SQLITE_OK;
}

/* Adds hits of one window after another.  *c stays in the window of the page's last hit, even if
 * the further hit (*ret_more) was found in a later window. */
static int take_windows(struct search_reads *r, struct search_read *j, struct search_cursor *c,
			bool *ret_more)
{
	struct search_cursor at = *c;
	int64_t              newest = 0;
	int64_t              lowest = 0;

	for (;;) {
		int rc = read_window(r, at.top, &newest, &lowest);
		if (rc != SQLITE_OK) {
			search_read_refuse(r, &j->job.err, rc);
			return SQLITE_OK;
		}
		if (at.top > newest && at.id == 0)
			at.top = newest; /* new messages must not move the window */
		size_t had = j->hit_count;
		rc = take_window(r, j, &at, ret_more);
		if (rc == SQLITE_INTERRUPT) {
			search_read_refuse(r, &j->job.err, rc);
			return SQLITE_OK;
		}
		if (j->hit_count > had)
			*c = at;
		if (rc != SQLITE_OK || *ret_more || j->job.err.code != ERR_OK ||
		    r->found_count < LIMIT_SEARCH_WINDOW || lowest <= 1)
			return rc;
		at = (struct search_cursor){ .query = c->query, .top = lowest - 1 };
	}
}

/* --- all --- */

static bool search_read_after(struct search_reads *r, struct search_read *j,
			      struct search_cursor *ret)
{
	/* The hash covers the whole expression with its owner, whom widen may remove later. */
	uint64_t query = mix_str(MIX_BEGIN, buf_view(&r->match));

	*ret = (struct search_cursor){ .query = query, .top = INT64_MAX };
	if (j->after.n == 0)
		return true;
	if (search_cursor_parse(j->after, ret) && ret->query == query)
		return true;
	err_set(&j->job.err, ERR_INVALID_VALUE, "after",
		"must be the next of a page of the same search");
	return false;
}

static bool put_next(struct search_read *j, const struct search_cursor *c)
{
	char text[SEARCH_CURSOR + 1];

	search_cursor_print(c, text);
	j->next = arena_str(&j->arena, (struct str){ text, SEARCH_CURSOR });
	if (!j->next.p)
		cell_no_memory(&j->job.err);
	return j->next.p != NULL;
}

/* search_read_is_alone: whether all conversations have the same owner. */
static int search_read_is_alone(struct search_reads *r, bool *ret)
{
	sqlite3_stmt *st;
	int           rc = conn_row(r->conn, sql_alone, &st);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(st, 0) != 0;
	return sqlite3_reset(st);
}

/* widen_expression: removes the owner's word from the expression if all rows, or all rows of the conversation,
 * have this word: it excludes nothing, but its list of rows is long to read.  find_hit checks the
 * owner of each hit anyway. */
static int widen_expression(struct search_reads *r, const struct search_read *j, struct str scope)
{
	const char *blank = memchr(scope.p, ' ', scope.n);
	bool        alone = j->conversation.key != 0;
	int         rc = alone ? SQLITE_OK : search_read_is_alone(r, &alone);

	if (rc != SQLITE_OK || !alone)
		return rc;
	scope = blank ? (struct str){ blank + 1, scope.n - (size_t)(blank + 1 - scope.p) }
		      : STR_NONE;
	buf_clear(&r->match);
	return search_query_print(&r->query, scope, &r->match) ? SQLITE_OK : SQLITE_NOMEM;
}

static int search_read_run(struct search_reads *r, struct search_read *j)
{
	struct search_cursor c;
	char                 room[SEARCH_SCOPE];
	struct str           scope;
	struct err          *e = &j->job.err;
	bool                 more = false;
	bool                 ready = false;

	if (open_words(r) != SQLITE_OK) {
		cell_no_memory(e);
		return SQLITE_OK;
	}
	if (search_query_read(&r->query, &r->words, j->query, e) != ERR_OK)
		return SQLITE_OK;
	buf_clear(&r->match);
	j->hits = arena_alloc(&j->arena, j->limit * sizeof *j->hits);
	scope = search_index_scope(j->owner, j->conversation.key, j->role, room);
	if (!j->hits || !search_query_print(&r->query, scope, &r->match)) {
		cell_no_memory(e);
		return SQLITE_OK;
	}
	if (!search_read_after(r, j, &c))
		return SQLITE_OK;
	int rc = check_index(r, j, &ready);
	if (rc != SQLITE_OK || e->code != ERR_OK || !ready)
		return rc;
	rc = widen_expression(r, j, scope);
	if (rc != SQLITE_OK)
		return rc;
	rc = take_windows(r, j, &c, &more);
	if (rc == SQLITE_OK && e->code == ERR_OK && more)
		(void)put_next(j, &c);
	return rc;
}

int search_reads_run(struct search_reads *r, struct search_read *j)
{
	CHECK(r->search != NULL);
	r->job = &j->job;
	j->hit_count = 0;
	j->next = STR_NONE;
	j->complete = false;
	r->deadline_us = clock_mono_us() + LIMIT_SEARCH_MS * (int64_t)1000;
	int rc = search_read_run(r, j);
	r->job = NULL;
	return rc;
}
