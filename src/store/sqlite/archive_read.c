/* A conversation as lines.
 *
 * What there will be is settled in the first page's transaction, as a list of parts: runs, each with
 * its messages, and messages that no run brought.  So an export is of that moment, but for what is
 * deleted or ends while it goes on. */
#include "store/sqlite/archive_read.h"

#include "archive/archive_line.h"
#include "base/limits.h"
#include "store/archive.h"
#include "store/common/archive_plan.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"

#include <stdlib.h>

static const char sql_conversation[] =
	"SELECT created_ms, rev, title, metadata, leaf, "
	"(SELECT secret FROM run WHERE run.id = leaf), tip, "
	"(SELECT secret FROM message WHERE message.id = tip), owner, instruction "
	"FROM conversation "
	"WHERE id = ?1 AND secret = ?2 AND (?4 OR owner = ?3)";
static const char sql_runs[] =
	"SELECT run.id, base, m.id, m.run FROM run INDEXED BY run_conversation "
	"LEFT JOIN message m ON m.id = base WHERE run.conversation = ? ORDER BY run.id";
static const char sql_loose[] =
	"SELECT l.id, l.prev, m.id, m.run FROM message l INDEXED BY message_loose "
	"LEFT JOIN message m ON m.id = l.prev "
	"WHERE l.conversation = ? AND l.run BETWEEN -1 AND 0 ORDER BY l.id";
static const char sql_run[] =
	"SELECT r.secret, r.status, r.parent, r.base, m.secret, r.continues, k.secret, "
	"r.created_ms, r.first_token_ms, r.completed_ms, r.attempts, r.usage_estimated, "
	"r.usage_in, r.usage_out, r.usage_cached_read, r.usage_cached_write, "
	"r.usage_reasoning, r.model, r.provider, r.shape, r.finish_reason, r.instruction, "
	"r.metadata, r.error, r.settings, r.request_id, r.native_reason FROM run r "
	"LEFT JOIN message m ON m.id = r.base "
	"LEFT JOIN run k ON k.id = r.continues WHERE r.id = ?1 AND r.conversation = ?2";
static const char sql_link[] = "SELECT prev FROM message WHERE id = ?";
static const char sql_message[] =
	"SELECT m.secret, m.prev, p.secret, m.run, m.created_ms, m.body FROM message m "
	"LEFT JOIN message p ON p.id = m.prev WHERE m.id = ?1 AND m.conversation = ?2";

/* --- the plan --- */

static int archive_read_add_part(struct archive_parts *p, sqlite3_stmt *st, bool loose)
{
	int64_t base = db_int(st, 1);

	if (base != 0 && sqlite3_column_type(st, 2) == SQLITE_NULL)
		return SQLITE_CORRUPT;
	if (archive_parts_add(p, db_int(st, 0), loose, base, db_int(st, 3)))
		return SQLITE_OK;
	return p->count > LIMIT_ARCHIVE_LINES ? SQLITE_TOOBIG : SQLITE_NOMEM;
}

static int archive_read_parts(struct session *s, const char *sql, int64_t conversation,
			      struct archive_parts *p)
{
	struct db_bind b = conn_bind(s->conn, sql);
	sqlite3_stmt  *st = b.st;
	int            rc;

	db_bind_int(&b, conversation);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(st)) {
		int added = archive_read_add_part(p, st, sql == sql_loose);

		if (added != SQLITE_OK)
			return added;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int make_plan(struct session *s, struct archive_read *j)
{
	struct archive_parts p = { 0 };
	int                  rc = archive_read_parts(s, sql_runs, j->conversation.key, &p);

	if (rc == SQLITE_OK)
		rc = archive_read_parts(s, sql_loose, j->conversation.key, &p);
	if (rc == SQLITE_OK) {
		enum archive_plan_end end = archive_parts_plan(&p, &j->plan);

		if (end != ARCHIVE_PLAN_MADE)
			rc = end == ARCHIVE_PLAN_DAMAGED ? SQLITE_CORRUPT : SQLITE_NOMEM;
	}
	archive_parts_finish(&p);
	return rc;
}

/* --- lines --- */

static int archive_read_put(struct archive_read *j, const struct archive_line *line)
{
	if (archive_line_print(&j->page, line))
		return SQLITE_OK;
	cell_no_memory(&j->job.err);
	return SQLITE_OK;
}

/* p is NULL if the column is NULL. */
static struct str archive_read_text_of(sqlite3_stmt *st, int column)
{
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return STR_NONE;
	struct str s = db_column(st, column);
	return s.p ? s : STR("");
}

static int archive_read_gone(struct archive_read *j)
{
	err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	return SQLITE_OK;
}

static int archive_read_put_conversation(struct session *s, struct archive_read *j)
{
	struct archive_line line = { .kind = ARCHIVE_CONVERSATION };
	struct db_bind      b = conn_bind(s->conn, sql_conversation);
	sqlite3_stmt       *st = b.st;

	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->any_owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE)
		return archive_read_gone(j);
	if (rc != SQLITE_ROW)
		return rc;
	line.as.conversation = (struct archive_conversation){
		.id = j->conversation,
		.owned = j->any_owner,
		.owner = db_int(st, 8),
		.created_ms = db_int(st, 0),
		.revision = db_int(st, 1),
		.title = archive_read_text_of(st, 2),
		.metadata = archive_read_text_of(st, 3),
		.instruction = archive_read_text_of(st, 9),
		.leaf = db_id(db_int(st, 4), st, 5),
		.tip = db_id(db_int(st, 6), st, 7),
	};
	return archive_read_put(j, &line);
}

static int archive_read_find(struct session *s, const char *sql, int64_t key,
			     const struct archive_read *j, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(s->conn, sql);

	db_bind_int(&b, key);
	if (sql != sql_link)
		db_bind_int(&b, j->conversation.key);
	*ret = b.st;
	return db_bind_row(&b);
}

static int archive_read_put_message(struct session *s, struct archive_read *j, int64_t key,
				    struct id run)
{
	struct archive_line line = { .kind = ARCHIVE_MESSAGE };
	sqlite3_stmt       *st;
	int                 rc = archive_read_find(s, sql_message, key, j, &st);

	if (rc == SQLITE_DONE)
		return archive_read_gone(j);
	if (rc != SQLITE_ROW)
		return rc;
	line.as.message = (struct archive_message){
		.id = db_id(key, st, 0),
		.parent = db_id(db_int(st, 1), st, 2),
		.run = run,
		.created_ms = db_int(st, 4),
		.body = db_int(st, 3) < 0 ? STR_NONE : archive_read_text_of(st, 5),
	};
	return archive_read_put(j, &line);
}

static void archive_read_take_run(sqlite3_stmt *st, int64_t key, struct archive_run *ret)
{
	bool any = sqlite3_column_type(st, 11) != SQLITE_NULL;
	bool estimated = db_int(st, 11) != 0;

	*ret = (struct archive_run){
		.id = db_id(key, st, 0),
		.status = (enum archive_status)db_int(st, 1),
		.base = db_id(db_int(st, 3), st, 4),
		.continues = db_id(db_int(st, 5), st, 6),
		.created_ms = db_int(st, 7),
		.first_token_ms = db_int(st, 8),
		.completed_ms = db_int(st, 9),
		.attempts = db_int(st, 10),
		.used = any,
		.usage = { .known = any && !estimated,
			   .estimated = any && estimated,
			   .in = db_int(st, 12),
			   .out = db_int(st, 13),
			   .cached_read = db_int(st, 14),
			   .cached_write = db_int(st, 15),
			   .reasoning = db_int(st, 16) },
		.model = archive_read_text_of(st, 17),
		.provider = archive_read_text_of(st, 18),
		.shape = archive_read_text_of(st, 19),
		.finish_reason = archive_read_text_of(st, 20),
		.instruction = archive_read_text_of(st, 21),
		.metadata = archive_read_text_of(st, 22),
		.error = archive_read_text_of(st, 23),
		.settings = archive_read_text_of(st, 24),
		.request_id = archive_read_text_of(st, 25),
		.native_reason = archive_read_text_of(st, 26),
	};
}

/* Finds the messages of a run's request, the last one first. */
struct chain {
	int64_t *keys; /* owned */
	size_t   count;
	size_t   cap;
};

static int read_chain(struct session *s, int64_t parent, int64_t base, struct chain *c)
{
	while (parent != base && parent != 0) {
		sqlite3_stmt *st;

		if (c->count == c->cap) {
			size_t   cap = c->cap ? 2 * c->cap : 16;
			int64_t *grown = realloc(c->keys, cap * sizeof *grown);

			if (!grown)
				return SQLITE_NOMEM;
			c->keys = grown;
			c->cap = cap;
		}
		if (c->count == LIMIT_ARCHIVE_LINES)
			return SQLITE_CORRUPT;
		c->keys[c->count++] = parent;
		int rc = archive_read_find(s, sql_link, parent, NULL, &st);
		if (rc != SQLITE_ROW)
			return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
		parent = db_int(st, 0);
	}
	return SQLITE_OK;
}

static bool archive_read_full(const struct archive_read *j)
{
	return j->page.len >= j->page_bytes || j->job.err.code != ERR_OK;
}

static int archive_read_put_answer(struct session *s, struct archive_read *j, struct id run)
{
	sqlite3_stmt *st;
	int           rc = archive_read_find(s, sql_message, run.key, j, &st);

	if (rc == SQLITE_DONE)
		return SQLITE_OK; /* there is none */
	return rc == SQLITE_ROW ? archive_read_put_message(s, j, run.key, run) : rc;
}

/* Prints a run's line, its messages and its answer, from j->line on; *ret_whole: no line is
 * left. */
static int put_run_lines(struct session *s, struct archive_read *j, struct archive_run *run,
			 const struct chain *c, bool *ret_whole)
{
	struct archive_line line = { .kind = ARCHIVE_RUN, .as.run = *run };
	int                 rc = SQLITE_OK;

	for (; rc == SQLITE_OK && !archive_read_full(j); j->line++) {
		if (j->line == 0) {
			j->live = run->status <= ARCHIVE_RUNNING;
			rc = archive_read_put(j, &line);
		} else if (j->line <= c->count) {
			rc = archive_read_put_message(s, j, c->keys[c->count - j->line], run->id);
		} else {
			*ret_whole = true;
			return j->live ? SQLITE_OK : archive_read_put_answer(s, j, run->id);
		}
	}
	return rc;
}

static int archive_read_put_run(struct session *s, struct archive_read *j, int64_t key,
				bool *ret_whole)
{
	struct chain       c = { 0 };
	struct archive_run run;
	sqlite3_stmt      *st;
	int                rc = archive_read_find(s, sql_run, key, j, &st);

	if (rc == SQLITE_DONE)
		return archive_read_gone(j);
	if (rc != SQLITE_ROW)
		return rc;
	archive_read_take_run(st, key, &run);
	if ((unsigned)run.status >= ARCHIVE_STATUS__COUNT)
		return SQLITE_CORRUPT;
	rc = read_chain(s, db_int(st, 2), run.base.key, &c);
	if (rc == SQLITE_OK)
		rc = put_run_lines(s, j, &run, &c, ret_whole);
	free(c.keys);
	return rc;
}

int archive_read(struct session *s, struct archive_read *j)
{
	int rc = SQLITE_OK;

	if (!j->plan) {
		rc = archive_read_put_conversation(s, j);
		if (rc == SQLITE_OK && j->job.err.code == ERR_OK)
			rc = make_plan(s, j);
	}
	while (rc == SQLITE_OK && !archive_read_full(j) && j->at < j->plan->count) {
		int64_t part = j->plan->parts[j->at];
		bool    whole = part < 0;

		rc = part < 0 ? archive_read_put_message(s, j, ~part, (struct id){ 0 })
			      : archive_read_put_run(s, j, part, &whole);
		if (!whole)
			continue;
		j->at++;
		j->line = 0;
	}
	j->has_more = rc == SQLITE_OK && j->job.err.code == ERR_OK && j->at < j->plan->count;
	return rc;
}

OP(archive_read, archive_read);
