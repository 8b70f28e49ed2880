/* From an archive to rows.
 *
 * A run that went on when it was exported is not going on here: it becomes incomplete.  Runs come
 * without event logs, like those from before there was a log: events_from and events_to are NULL. */
#include "archive/archive.h"
#include "base/limits.h"
#include "store/archive.h"
#include "store/common/excerpt.h"
#include "store/run.h"
#include "store/sqlite/answer_row.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/op.h"

enum { TRIES = 16 }; /* tries to find unused ids; the first ones are those of the archive */

static const char sql_begin[] = "SAVEPOINT archive";
static const char sql_undo[] = "ROLLBACK TO archive";
static const char sql_end[] = "RELEASE archive";
static const char sql_has_conversation[] = "SELECT 1 FROM conversation WHERE id = ?";
static const char sql_has[] = "SELECT EXISTS (SELECT 1 FROM message WHERE id = ?1) OR "
			      "EXISTS (SELECT 1 FROM run WHERE id = ?1) OR "
			      "EXISTS (SELECT 1 FROM idempotency WHERE id = ?1)";
static const char sql_add_conversation[] =
	"INSERT INTO conversation (id, secret, owner, created_ms, leaf, title, metadata, "
	"tip, rev, instruction, opening, excerpt, messages, origin, recent) "
	"VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
	"iif(?14, iif(?8, ?8, iif(?5, ?5, ?1)), NULL))";
static const char sql_add_model[] =
	"UPDATE conversation SET model = (SELECT model FROM run WHERE run.id = leaf) WHERE id = ?";
static const char sql_add_labels[] =
	"INSERT OR IGNORE INTO conversation_label (owner, key, value, conversation) "
	"SELECT ?1, key, value, ?2 FROM json_each(?3) WHERE type = 'text'";
static const char sql_add_run[] =
	"INSERT INTO run (id, secret, owner, conversation, parent, base, status, created_ms, "
	"first_token_ms, completed_ms, attempts, continues, seq_reserved, usage_estimated, "
	"usage_in, usage_out, usage_cached_read, usage_cached_write, usage_reasoning, model, "
	"provider, shape, finish_reason, instruction, metadata, error, "
	"settings, request_id, native_reason) "
	"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,0,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
static const char sql_add_message[] =
	"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
	"VALUES (?,?,?,?,?,?,?,?)";

/* A conversation that is being imported. */
struct writing {
	struct session       *s;
	struct archive_write *j;
	struct archive_walk   w;
	int64_t               owner;
};

/* --- ids --- */

static int archive_write_has(struct session *s, const char *sql, int64_t key, bool *ret)
{
	struct db_bind b = conn_bind(s->conn, sql);
	sqlite3_stmt  *st = b.st;

	db_bind_int(&b, key);
	int rc = db_bind_row(&b);
	*ret = rc == SQLITE_ROW && db_int(st, 0) != 0;
	(void)sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int ids_are_free(struct writing *x, bool *ret)
{
	bool taken = false;
	int  rc = archive_write_has(x->s, sql_has_conversation, x->w.conversation_as.key, &taken);

	for (uint32_t i = 0; rc == SQLITE_OK && !taken && i < x->w.count; i++)
		rc = archive_write_has(x->s, sql_has, x->w.entries[i].as.key, &taken);
	*ret = !taken;
	return rc;
}

static int choose_ids(struct writing *x)
{
	if (!archive_walk_is_past(&x->w))
		archive_walk_renew(&x->w, 0);
	for (int tries = 0; tries < TRIES; tries++) {
		bool good = false;
		int  rc = ids_are_free(x, &good);

		if (rc != SQLITE_OK || good)
			return rc;
		archive_walk_renew(&x->w, tries);
	}
	return SQLITE_CONSTRAINT;
}

static int64_t archive_write_key_of(const struct writing *x, uint32_t entry)
{
	return entry == ARCHIVE_NONE ? 0 : x->w.entries[entry].as.key;
}

/* --- rows --- */

static void bind_text(struct db_bind *b, struct str s)
{
	if (s.p)
		db_bind_text(b, s);
	else
		db_bind_null(b);
}

/* archive_write_bind_row: the conversation's row in a list; archives have no costs. */
static void archive_write_bind_row(struct db_bind *b, const struct writing *x,
				   struct excerpt_row *row)
{
	bool first = true;

	row->opening = row->excerpt = STR_NONE;

	for (uint32_t i = 0; i < x->w.count; i++)
		if (x->w.entries[i].kind == ARCHIVE_MESSAGE && x->w.entries[i].text.p) {
			excerpt_row_add(row, x->w.entries[i].text, first);
			first = false;
		}
	db_bind_maybe(b, row->opening);
	db_bind_maybe(b, row->excerpt);
	db_bind_int(b, x->w.messages);
	db_bind_int(b, (int64_t)x->j->origin);
}

static int archive_write_add_model(struct writing *x)
{
	struct db_bind b = conn_bind(x->s->conn, sql_add_model);

	db_bind_int(&b, x->w.conversation_as.key);
	return db_bind_run(&b);
}

static int archive_write_add_conversation(struct writing *x)
{
	const struct archive_conversation *c = &x->w.conversation;
	struct db_bind                     b = conn_bind(x->s->conn, sql_add_conversation);
	struct excerpt_row                 row;

	db_bind_int(&b, x->w.conversation_as.key);
	db_bind_secret(&b, x->w.conversation_as.secret);
	db_bind_int(&b, x->owner);
	db_bind_int(&b, c->created_ms);
	db_bind_int(&b, archive_write_key_of(x, x->w.leaf));
	db_bind_maybe(&b, c->title);
	bind_text(&b, c->metadata);
	db_bind_int(&b, archive_write_key_of(x, x->w.tip));
	db_bind_int(&b, c->revision);
	bind_text(&b, c->instruction);
	archive_write_bind_row(&b, x, &row);
	int rc = db_bind_run(&b);
	if (rc != SQLITE_OK || !c->metadata.p)
		return rc;
	b = conn_bind(x->s->conn, sql_add_labels);
	db_bind_int(&b, x->owner);
	db_bind_int(&b, x->w.conversation_as.key);
	db_bind_text(&b, c->metadata);
	return db_bind_run(&b);
}

static void bind_usage(struct db_bind *b, const struct archive_run *run)
{
	const struct usage *u = &run->usage;

	if (run->used)
		db_bind_int(b, u->estimated);
	else
		db_bind_null(b);
	db_bind_int(b, u->in);
	db_bind_int(b, u->out);
	db_bind_int(b, u->cached_read);
	db_bind_int(b, u->cached_write);
	db_bind_int(b, u->reasoning);
}

static int archive_write_put_run(struct writing *x, const struct archive_entry *entry,
				 const struct archive_run *run)
{
	struct db_bind b = conn_bind(x->s->conn, sql_add_run);
	bool           live = run->status <= ARCHIVE_RUNNING;

	db_bind_int(&b, entry->as.key);
	db_bind_secret(&b, entry->as.secret);
	db_bind_int(&b, x->owner);
	db_bind_int(&b, x->w.conversation_as.key);
	db_bind_int(&b, archive_write_key_of(x, entry->last));
	db_bind_int(&b, archive_write_key_of(x, entry->parent));
	db_bind_int(&b, live ? RUN_INCOMPLETE : (int64_t)run->status);
	db_bind_int(&b, run->created_ms);
	db_bind_int(&b, run->first_token_ms);
	db_bind_int(&b, live ? run->created_ms : run->completed_ms);
	db_bind_int(&b, run->attempts);
	db_bind_int(&b, archive_write_key_of(x, entry->run));
	bind_usage(&b, run);
	bind_text(&b, run->model);
	bind_text(&b, run->provider);
	bind_text(&b, run->shape);
	bind_text(&b, run->finish_reason);
	bind_text(&b, run->instruction);
	bind_text(&b, run->metadata);
	bind_text(&b, live ? STR(ARCHIVE_CUT_OFF) : run->error);
	bind_text(&b, run->settings);
	bind_text(&b, run->request_id);
	bind_text(&b, run->native_reason);
	return db_bind_run(&b);
}

static int archive_write_add_run(struct writing *x, const struct archive_entry *entry)
{
	struct archive_run run;
	struct arena       arena;
	struct err        *e = &x->j->job.err;
	int                rc = SQLITE_OK;

	arena_init(&arena, LIMIT_ARENA);
	if (archive_walk_run(&x->w, entry, &arena, &run, e) == ERR_OK)
		rc = archive_write_put_run(x, entry, &run);
	arena_finish(&arena);
	return rc;
}

static int archive_write_add_message(struct writing *x, const struct archive_entry *entry)
{
	struct db_bind b = conn_bind(x->s->conn, sql_add_message);
	int64_t        run = archive_write_key_of(x, entry->run);

	db_bind_int(&b, entry->as.key);
	db_bind_secret(&b, entry->as.secret);
	db_bind_int(&b, x->owner);
	db_bind_int(&b, x->w.conversation_as.key);
	db_bind_int(&b, archive_write_key_of(x, entry->parent));
	db_bind_int(&b, entry->text.p ? run : ~run);
	db_bind_int(&b, entry->created_ms);
	db_bind_text(&b, entry->text);
	return db_bind_run(&b);
}

static int write_one(struct writing *x)
{
	const struct archive_conversation *c = &x->w.conversation;
	struct err                        *e = &x->j->job.err;

	x->owner = x->j->owners && c->owned ? c->owner : x->j->owner;
	int rc = choose_ids(x);
	if (rc == SQLITE_OK)
		rc = archive_write_add_conversation(x);
	for (uint32_t i = 0; rc == SQLITE_OK && e->code == ERR_OK && i < x->w.count; i++) {
		const struct archive_entry *entry = &x->w.entries[i];

		rc = entry->kind == ARCHIVE_RUN ? archive_write_add_run(x, entry)
						: archive_write_add_message(x, entry);
	}
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	if (x->w.leaf != ARCHIVE_NONE)
		rc = archive_write_add_model(x);
	if (rc == SQLITE_OK)
		rc = search_queue_note(&x->s->search, SEARCH_CONVERSATION,
				       x->w.conversation_as.key);
	if (rc != SQLITE_OK)
		return rc;
	if (!x->j->quiet &&
	    !archive_walk_print(&x->w, x->j->conversation_count > 0, &x->j->results))
		err_set(e, ERR_REQUEST_TOO_LARGE, "", "too many conversations for one answer");
	x->j->conversation_count++;
	x->j->message_count += x->w.messages;
	return SQLITE_OK;
}

static int archive_write_all(struct session *s, struct archive_write *j)
{
	struct writing x = { .s = s, .j = j };
	struct err    *e = &j->job.err;
	int            rc = conn_run(s->conn, sql_begin);

	if (rc != SQLITE_OK)
		return rc;
	/* The batch of this job may be repeated. */
	j->conversation_count = j->message_count = 0;
	buf_clear(&j->results);
	archive_walk_init(&x.w, j->text, j->now_ms);
	while (rc == SQLITE_OK && archive_walk_next(&x.w, e) == ERR_OK && x.w.found)
		rc = write_one(&x);
	archive_walk_finish(&x.w);
	if (rc == SQLITE_OK && e->code != ERR_OK)
		rc = conn_run(s->conn, sql_undo);
	return rc == SQLITE_OK ? conn_run(s->conn, sql_end) : rc;
}

/* The stored answer to an idempotency key has only ids of conversations, so it is deleted with none
 * of them. */
static int write_once(struct session *s, struct archive_write *j)
{
	struct answer_object thing = { .owner = j->owner, .now_ms = j->now_ms, .job = &j->job };
	int                  rc = answer_row_replay(s->conn, j->owner, &j->made, &j->job.err);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->made.replayed)
		return rc;
	rc = archive_write_all(s, j);
	return rc == SQLITE_OK && j->job.err.code == ERR_OK
		       ? answer_row_made(s->conn, &thing, &j->made)
		       : rc;
}

OP(archive_write, write_once);
