/* The file of the search index: made, checked, filled. */
#include "store/sqlite/search/search_index.h"

#include "base/full_io.h"
#include "store/words/search_token.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ADD   "INSERT OR IGNORE INTO doc (id, owner, conversation, role, bytes) VALUES (?,?,?,?,?)"
#define STATE "SELECT instance, seq, built, titles, complete, count FROM state WHERE id = 1"

static const char *const sql[SEARCH_INDEX_SQL__COUNT] = {
	[SEARCH_INDEX_SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SEARCH_INDEX_SQL_COMMIT] = "COMMIT",
	[SEARCH_INDEX_SQL_STATE] = STATE,
	[SEARCH_INDEX_SQL_HAS] = "SELECT 1 FROM doc WHERE id = ?",
	[SEARCH_INDEX_SQL_FIND] = "SELECT owner, conversation, role FROM doc WHERE id = ?",
	[SEARCH_INDEX_SQL_ADD] = ADD,
	[SEARCH_INDEX_SQL_ADD_TEXT] = "INSERT INTO entry (rowid, text, scope) VALUES (?,?,?)",
	[SEARCH_INDEX_SQL_DROP] = "DELETE FROM doc WHERE id = ?",
	[SEARCH_INDEX_SQL_DROP_TEXT] =
		"INSERT INTO entry (entry, rowid, text, scope) VALUES ('delete',?,?,?)",
	[SEARCH_INDEX_SQL_MARK] =
		"UPDATE state SET seq = ?, built = ?, titles = ?, complete = ?, count = ? WHERE id = 1",
	[SEARCH_INDEX_SQL_STAIN] = "INSERT OR IGNORE INTO stain (id) VALUES (1)",
	[SEARCH_INDEX_SQL_PURGE] = "INSERT INTO entry (entry, rank) VALUES ('merge', ?)",
};

static const char make[] =
	"CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), instance BLOB NOT NULL, "
	"seq INTEGER NOT NULL, built INTEGER NOT NULL, titles INTEGER NOT NULL, "
	"complete INTEGER NOT NULL, count INTEGER NOT NULL) STRICT;"
	"CREATE TABLE doc (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, "
	"conversation INTEGER NOT NULL, role INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;"
	/* The length of a text is in doc: another table for it would cost another row. */
	"CREATE VIRTUAL TABLE entry USING fts5(text, scope, content='', columnsize=0, "
	"detail='full', tokenize='" SEARCH_TOKENIZER "');"
	/* A piece of a segment fills a page of the file (db.c). */
	"INSERT INTO entry (entry, rank) VALUES ('pgsz', 16200);"
	/* A batch is one segment: more than the words of LIMIT_SEARCH_BATCH_TEXT. */
	"INSERT INTO entry (entry, rank) VALUES ('hashsize', 33554432);"
	/* Segments are merged 64 at a time, not 4: each word is written a third as often.  A search looks
	 * into more segments, up to 127 after 12,000 batches: after 600,000 turns it takes 2.8 ms for a
	 * word and 5 for a phrase; it was 2.6 and 3.4 with 16 in a merge. */
	"INSERT INTO entry (entry, rank) VALUES ('automerge', 64);"
	"INSERT INTO entry (entry, rank) VALUES ('crisismerge', 256);";

/* A row: the index has words of texts that were removed.  Files of earlier versions get the table when they are
 * opened. */
static const char make_stain[] =
	"CREATE TABLE IF NOT EXISTS stain (id INTEGER PRIMARY KEY CHECK (id = 1)) STRICT";

/* Adds a word of a letter and a hexadecimal number, and a blank before it if there is a word. */
static size_t put_scope_word(char *at, size_t n, char letter, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	unsigned          shift = 60;

	if (n > 0)
		at[n++] = ' ';
	at[n++] = letter;
	while (shift > 0 && v >> shift == 0)
		shift -= 4;
	for (;; shift -= 4) {
		at[n++] = digits[v >> shift & 15];
		if (shift == 0)
			return n;
	}
}

struct str search_index_scope(int64_t owner, int64_t conversation, int role, char ret[SEARCH_SCOPE])
{
	size_t n = put_scope_word(ret, 0, 'o', (uint64_t)owner);

	if (conversation != 0)
		n = put_scope_word(ret, n, 'c', (uint64_t)conversation);
	if (role >= 0)
		n = put_scope_word(ret, n, 'r', (uint64_t)role);
	return (struct str){ ret, n };
}

/* --- the file --- */

static int one_int(sqlite3 *db, const char *text, int64_t *ret)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, text, -1, &st, NULL);

	if (rc == SQLITE_OK) {
		rc = sqlite3_step(st);
		if (rc == SQLITE_ROW)
			*ret = db_int(st, 0);
	}
	(void)sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_ERROR : rc;
}

static int search_index_read_state(sqlite3 *db, const unsigned char *instance,
				   struct search_mark *ret, int64_t *ret_count)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(db, STATE, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		struct str is = db_blob(st, 0);

		*ret = (struct search_mark){ db_int(st, 1), db_int(st, 2), db_int(st, 3),
					     db_int(st, 4) != 0 };
		*ret_count = db_int(st, 5);
		if (instance && (is.n != SEARCH_INSTANCE || memcmp(is.p, instance, is.n) != 0))
			rc = SQLITE_MISMATCH;
	} else if (rc == SQLITE_DONE || rc == SQLITE_ERROR) {
		rc = SQLITE_MISMATCH; /* no such row, or no such table */
	}
	(void)sqlite3_finalize(st);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int search_index_check(sqlite3 *db, const unsigned char *instance, struct search_mark *ret,
		       int64_t *ret_count)
{
	int64_t application = 0;
	int64_t format = 0;
	int     rc = one_int(db, "PRAGMA application_id", &application);

	if (rc == SQLITE_OK)
		rc = one_int(db, "PRAGMA user_version", &format);
	if (rc == SQLITE_OK && (application != SEARCH_APPLICATION || format != SEARCH_FORMAT))
		rc = SQLITE_MISMATCH;
	return rc == SQLITE_OK ? search_index_read_state(db, instance, ret, ret_count) : rc;
}

void search_index_remove(const char *path)
{
	static const char *const ends[] = { "-wal", "-shm", "-journal", "" };
	char                     name[PATH_MAX];

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		int n = snprintf(name, sizeof name, "%s%s", path, ends[i]);

		if (n > 0 && (size_t)n < sizeof name)
			(void)unlink(name);
	}
}

bool search_index_moved(const struct search_index *x)
{
	int moved = 0;

	return sqlite3_file_control(x->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
	       moved != 0;
}

static int open_file(struct search_index *x, const char *path, int64_t busy_ms)
{
	struct err e;
	int        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0) {
		owner_give(fd, path);
		close(fd);
	}
	if (db_open(path, DB_INDEX, busy_ms, &x->db, &e) != ERR_OK) {
		sqlite3 *db = NULL;
		int      rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
		int64_t  version;

		/* db_open hides the SQLite code.  The caller needs it: a file that is no database
		 * is made anew. */
		if (rc == SQLITE_OK)
			rc = one_int(db, "PRAGMA schema_version", &version);
		db_close(db);
		return rc == SQLITE_OK ? SQLITE_CANTOPEN : rc;
	}
	x->relaxed = false;
	int rc = db_exec(x->db, "PRAGMA secure_delete = ON");
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, "PRAGMA wal_autocheckpoint = 500");
	return rc == SQLITE_OK ? search_token_register(x->db) : rc;
}

static int put_state(sqlite3 *db, const struct search_source *source)
{
	sqlite3_stmt *st = NULL;
	int           rc = sqlite3_prepare_v2(
			  db,
			  "INSERT INTO state (id, instance, seq, built, titles, complete, count) "
				    "VALUES (1,?,0,0,0,0,0)",
			  -1, &st, NULL);

	if (rc == SQLITE_OK) {
		struct db_bind b = db_bind(st);

		db_bind_blob(&b, (struct str){ (const char *)source->instance, SEARCH_INSTANCE });
		rc = db_bind_run(&b);
	}
	(void)sqlite3_finalize(st);
	return rc;
}

static int make_new(struct search_index *x, const struct search_source *source)
{
	char text[96];

	snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 SEARCH_APPLICATION, SEARCH_FORMAT);
	int rc = db_exec(x->db, "BEGIN IMMEDIATE");
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, make);
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, make_stain);
	if (rc == SQLITE_OK)
		rc = put_state(x->db, source);
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, text);
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, "COMMIT");
	x->mark = (struct search_mark){ .seq = 0 };
	x->count = 0;
	return rc;
}

/* False: the index or the database was restored from a copy.  Then rows of the queue are missing
 * after the index's mark, or the mark is above the queue's last row. */
static bool search_index_fits(const struct search_mark *m, const struct search_source *s)
{
	return m->seq <= s->last && (s->first == 0 || m->seq >= s->first - 1);
}

/* Prepares the statements.  SQLITE_MISMATCH: a table is missing, which search_index_check does not
 * notice. */
static int search_index_prepare(struct search_index *x)
{
	struct err e;

	if (db_prepare(x->db, sql, SEARCH_INDEX_SQL__COUNT, x->st, &e) == ERR_OK)
		return SQLITE_OK;
	return (sqlite3_errcode(x->db) & 0xff) == SQLITE_ERROR ? SQLITE_MISMATCH
							       : sqlite3_extended_errcode(x->db);
}

static int search_index_look_stain(struct search_index *x)
{
	int64_t stained = 0;
	int     rc = db_exec(x->db, make_stain);

	if (rc == SQLITE_OK)
		rc = one_int(x->db, "SELECT count(*) FROM stain", &stained);
	x->stained = stained > 0;
	return rc;
}

static int search_index_look(struct search_index *x, const char *path, int64_t busy_ms,
			     const struct search_source *source)
{
	int rc = open_file(x, path, busy_ms);

	if (rc == SQLITE_OK)
		rc = search_index_check(x->db, source->instance, &x->mark, &x->count);
	if (rc == SQLITE_OK && !search_index_fits(&x->mark, source))
		rc = SQLITE_MISMATCH;
	if (rc == SQLITE_OK)
		rc = search_index_look_stain(x);
	return rc == SQLITE_OK ? search_index_prepare(x) : rc;
}

int search_index_open(struct search_index *x, const char *path, int64_t busy_ms,
		      const struct search_source *source, bool *ret_anew)
{
	*x = (struct search_index){ .db = NULL };
	*ret_anew = false;
	int rc = search_index_look(x, path, busy_ms, source);
	if (rc == SQLITE_MISMATCH || (rc & 0xff) == SQLITE_CORRUPT ||
	    (rc & 0xff) == SQLITE_NOTADB) {
		search_index_close(x);
		search_index_remove(path);
		*ret_anew = true;
		rc = open_file(x, path, busy_ms);
		if (rc == SQLITE_OK)
			rc = make_new(x, source);
		if (rc == SQLITE_OK)
			rc = search_index_prepare(x);
	}
	if (rc != SQLITE_OK)
		search_index_close(x);
	return rc;
}

void search_index_close(struct search_index *x)
{
	if (!x->db)
		return;
	db_finalize(x->st, SEARCH_INDEX_SQL__COUNT);
	db_close(x->db);
	x->db = NULL;
}

/* --- what is in it --- */

int search_index_has(struct search_index *x, int64_t doc, bool *ret)
{
	struct db_bind b = db_bind(x->st[SEARCH_INDEX_SQL_HAS]);

	db_bind_int(&b, doc);
	int rc = db_bind_row(&b);
	*ret = rc == SQLITE_ROW;
	if (rc == SQLITE_ROW)
		rc = sqlite3_reset(b.st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int search_index_put_text(struct search_index *x, enum search_index_sql which,
				 const struct search_op *op, struct str text)
{
	char           room[SEARCH_SCOPE];
	struct db_bind b = db_bind(x->st[which]);

	db_bind_int(&b, op->id);
	db_bind_text(&b, text);
	db_bind_text(&b, search_index_scope(op->owner, op->conversation, op->role, room));
	return db_bind_run(&b);
}

static int search_index_add(struct search_index *x, const struct search_op *op, struct str text,
			    int64_t *count)
{
	struct db_bind b = db_bind(x->st[SEARCH_INDEX_SQL_ADD]);

	db_bind_int(&b, op->id);
	db_bind_int(&b, op->owner);
	db_bind_int(&b, op->conversation);
	db_bind_int(&b, op->role);
	db_bind_int(&b, (int64_t)text.n);
	int rc = db_bind_run(&b);
	if (rc != SQLITE_OK || sqlite3_changes(x->db) == 0)
		return rc;
	++*count;
	return search_index_put_text(x, SEARCH_INDEX_SQL_ADD_TEXT, op, text);
}

static int search_index_drop(struct search_index *x, const struct search_op *op, struct str text,
			     int64_t *count)
{
	struct search_op was = *op;
	struct db_bind   b = db_bind(x->st[SEARCH_INDEX_SQL_FIND]);

	db_bind_int(&b, op->id);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc; /* the index does not have the message */
	was.owner = db_int(b.st, 0);
	was.conversation = db_int(b.st, 1);
	was.role = (int)db_int(b.st, 2);
	(void)sqlite3_reset(b.st);
	if (text.n == 0)
		return SQLITE_CORRUPT; /* the message was removed before: this is an older copy */
	rc = search_index_put_text(x, SEARCH_INDEX_SQL_DROP_TEXT, &was, text);
	if (rc != SQLITE_OK)
		return rc;
	struct db_bind gone = db_bind(x->st[SEARCH_INDEX_SQL_DROP]);
	db_bind_int(&gone, op->id);
	--*count;
	return db_bind_run(&gone);
}

static int search_index_by_id(const void *a, const void *b)
{
	const struct search_op *x = a;
	const struct search_op *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->gone - y->gone; /* an addition comes before the removal */
}

static int put_mark(struct search_index *x, const struct search_mark *m, int64_t count)
{
	struct db_bind b = db_bind(x->st[SEARCH_INDEX_SQL_MARK]);

	db_bind_int(&b, m->seq);
	db_bind_int(&b, m->built);
	db_bind_int(&b, m->titles);
	db_bind_int(&b, m->complete ? 1 : 0);
	db_bind_int(&b, count);
	return db_bind_run(&b);
}

static int set_relaxed(struct search_index *x, bool relaxed)
{
	int rc = SQLITE_OK;

	if (x->relaxed != relaxed)
		rc = db_exec(x->db,
			     relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
	if (rc == SQLITE_OK)
		x->relaxed = relaxed;
	return rc;
}

int search_index_apply(struct search_index *x, struct search_batch *b, bool sync)
{
	int64_t count = x->count;
	bool    gone = false;
	int     rc = set_relaxed(x, !sync);

	/* FTS5 flushes its pending data whenever a row has a lower id than the row before. */
	qsort(b->ops, b->count, sizeof b->ops[0], search_index_by_id);
	if (rc == SQLITE_OK)
		rc = db_run(x->st[SEARCH_INDEX_SQL_BEGIN]);
	for (size_t i = 0; rc == SQLITE_OK && i < b->count; i++) {
		const struct search_op *op = &b->ops[i];
		/* Removals may have no text; if no op has any, texts.data is NULL. */
		struct str text = { op->text_n > 0 ? b->texts.data + op->text_at : NULL,
				    op->text_n };

		gone |= op->gone;
		rc = op->gone ? search_index_drop(x, op, text, &count)
			      : search_index_add(x, op, text, &count);
	}
	if (rc == SQLITE_OK && gone && !x->stained)
		rc = db_run(x->st[SEARCH_INDEX_SQL_STAIN]);
	if (rc == SQLITE_OK)
		rc = put_mark(x, &b->mark, count);
	if (rc == SQLITE_OK)
		rc = db_run(x->st[SEARCH_INDEX_SQL_COMMIT]);
	if (rc != SQLITE_OK) {
		db_rollback(x->db);
		return rc;
	}
	x->mark = b->mark;
	x->count = count;
	x->stained |= gone;
	x->merging &= !gone; /* the segment with the removal is not among those that are merged */
	return SQLITE_OK;
}

/* --- words of removed texts --- */

enum { PURGE_PAGES = 64 }; /* pages written in a step, of PAGE_BYTES_INDEX */

/* FTS5 drops what was removed when it merges all segments into one.  Its first call has a negative number, and a
 * call that changes fewer than two rows was the last one (SQLite's documentation of FTS5, "The 'merge'
 * Command"). */
static int merge_some(struct search_index *x, bool *ret_more)
{
	struct db_bind b = db_bind(x->st[SEARCH_INDEX_SQL_PURGE]);
	int            before = sqlite3_total_changes(x->db);

	db_bind_int(&b, x->merging ? PURGE_PAGES : -PURGE_PAGES);
	int rc = db_bind_run(&b);
	*ret_more = rc == SQLITE_OK && sqlite3_total_changes(x->db) - before >= 2;
	x->merging = *ret_more;
	return rc;
}

/* empty_log: the log has the pages as they were.  SQLITE_BUSY: a reader holds it. */
static int empty_log(struct search_index *x, int64_t busy_ms)
{
	(void)sqlite3_busy_timeout(x->db, 0);
	int rc = sqlite3_wal_checkpoint_v2(x->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	(void)sqlite3_busy_timeout(x->db, (int)busy_ms);
	return rc;
}

int search_index_purge(struct search_index *x, int64_t busy_ms, bool *ret_more)
{
	int rc = set_relaxed(x, true);

	if (rc == SQLITE_OK)
		rc = merge_some(x, ret_more);
	if (rc != SQLITE_OK || *ret_more)
		return rc;
	rc = empty_log(x, busy_ms);
	if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
		*ret_more = true;
		return SQLITE_OK;
	}
	if (rc == SQLITE_OK)
		rc = db_exec(x->db, "DELETE FROM stain");
	x->stained = rc != SQLITE_OK;
	return rc;
}
