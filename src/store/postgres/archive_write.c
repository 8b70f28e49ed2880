/* From an archive to rows, conversation by conversation in one transaction.
 *
 * A run that went on when it was exported is not going on here: it becomes incomplete.  Runs come without
 * event logs. */
#include "archive/archive.h"
#include "base/limits.h"
#include "store/archive.h"
#include "store/common/excerpt.h"
#include "store/postgres/answer_names.h"
#include "store/sql/labels.h"
#include "store/postgres/operation.h"
#include "store/postgres/postgres.h"
#include "store/postgres/chores.h"
#include "store/run.h"

enum {
	IMPORT_TRIES = 16,  /* to find unused ids; the first ones are those of the archive */
	IMPORT_ROWS = 1024, /* rows in one statement, at most */
	IMPORT_BYTES = 4 * MIB
};

static const char sql_taken[] =
	"SELECT (EXISTS (SELECT 1 FROM conversation WHERE id = $2) OR "
	"EXISTS (SELECT 1 FROM message WHERE id = ANY($1::bigint[])) OR "
	"EXISTS (SELECT 1 FROM run WHERE id = ANY($1::bigint[])) OR "
	"EXISTS (SELECT 1 FROM idempotency WHERE id = ANY($1::bigint[])))::int::bigint";
static const char sql_add_conversation[] =
	"INSERT INTO conversation (id, secret, owner, created_ms, leaf, title, metadata, tip, rev, "
	"instruction, opening, excerpt, messages, origin, recent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "
	"$9, $10, $11, $12, $13, $14, CASE WHEN $14 = 1 THEN coalesce(nullif($8, 0), nullif($5, 0), $1) END)";
static const char sql_add_model[] =
	"UPDATE conversation SET model = (SELECT model FROM run WHERE run.id = leaf) WHERE id = $1";
static const char sql_add_labels[] =
	"INSERT INTO conversation_label (owner, key, value, conversation) SELECT $1, l.key, l.value, "
	"$2 FROM unnest($3::text[], $4::text[]) AS l(key, value) ON CONFLICT DO NOTHING";
static const char sql_add_run[] =
	"INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, "
	"first_token_ms, completed_ms, attempts, continues, seq_reserved, usage_estimated, usage_in, "
	"usage_out, usage_cached_read, usage_cached_write, usage_reasoning, model, provider, shape, "
	"finish_reason, instruction, metadata, error, settings, request_id, native_reason) VALUES "
	"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14, $15, $16, $17, $18, $19, "
	"$20, $21, $22, $23, $24, $25, $26, $27, $28, $29)";
/* The queue may still have the note of a message that had the same id and was deleted; the row is changed, so
 * that this waits for whoever is working on that note. */
#define NOTED_BEFORE "ON CONFLICT (seq) DO UPDATE SET kind = excluded.kind"
static const char sql_add_messages[] =
	"WITH added AS (INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, "
	"body) SELECT m.id, m.secret, $1, $2, m.prev, m.run, m.created_ms, m.body FROM unnest($3::bigint[], "
	"$4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) "
	"AS m(id, secret, prev, run, created_ms, body) RETURNING id, run), "
	"runs AS (INSERT INTO search_queue (seq, kind, id) SELECT id, 1, id FROM "
	"unnest($9::bigint[]) AS r(id) " NOTED_BEFORE ") "
	"INSERT INTO search_queue (seq, kind, id) SELECT id, 2, id FROM added WHERE run = 0 " NOTED_BEFORE;

struct archive_import {
	struct archive_walk w;
	int64_t             owner;
	int                 tries; /* for ids of the conversation at hand */
	uint32_t            at;    /* its next entry to be written */
};

static void archive_write_finish(void *state)
{
	archive_walk_finish(&((struct archive_import *)state)->w);
}

static int64_t archive_write_key(const struct archive_import *x, uint32_t entry)
{
	return entry == ARCHIVE_NONE ? 0 : x->w.entries[entry].as.key;
}

/* --- ids --- */

static void archive_write_ask_taken(struct work *w, const struct archive_import *x)
{
	struct param *a = work_param(w);

	PARAM_EACH(a, PARAM_INT, i, x->w.count, param_int(a, x->w.entries[i].as.key));
	param_int(a, x->w.conversation_as.key);
	work_ask(w, sql_taken);
}

/* --- rows --- */

static void archive_write_text(struct param *a, struct str s, enum param_type type)
{
	if (!s.p)
		param_null(a, type);
	else if (type == PARAM_BYTES)
		param_bytes(a, s);
	else
		param_text(a, s);
}

static void archive_write_labels(struct work *w, const struct archive_import *x)
{
	struct labels all = { 0 };
	bool          ok = labels_add(&all, 0, x->w.conversation.metadata);

	if (all.count > 0 || !ok) {
		struct param *a = work_param(w);

		param_int(a, x->owner);
		param_int(a, x->w.conversation_as.key);
		labels_pairs(&all, a);
		a->failed = a->failed || !ok;
		work_ask(w, sql_add_labels);
	}
	labels_finish(&all);
}

/* archive_write_row: the conversation's row in a list; archives have no costs. */
static void archive_write_row(struct param *a, const struct archive_import *x,
			      enum store_origin origin)
{
	struct excerpt_row row = { 0 };
	bool               first = true;

	for (uint32_t i = 0; i < x->w.count; i++)
		if (x->w.entries[i].kind == ARCHIVE_MESSAGE && x->w.entries[i].text.p) {
			excerpt_row_add(&row, x->w.entries[i].text, first);
			first = false;
		}
	param_maybe(a, row.opening);
	param_maybe(a, row.excerpt);
	param_int(a, x->w.messages);
	param_int(a, (int64_t)origin);
}

static void archive_write_conversation(struct work *w, const struct archive_import *x,
				       enum store_origin origin)
{
	const struct archive_conversation *c = &x->w.conversation;
	struct param                      *a = work_param(w);

	param_int(a, x->w.conversation_as.key);
	param_secret(a, x->w.conversation_as.secret);
	param_int(a, x->owner);
	param_int(a, c->created_ms);
	param_int(a, archive_write_key(x, x->w.leaf));
	param_bytes_maybe(a, c->title);
	archive_write_text(a, c->metadata, PARAM_TEXT);
	param_int(a, archive_write_key(x, x->w.tip));
	param_int(a, c->revision);
	archive_write_text(a, c->instruction, PARAM_BYTES);
	archive_write_row(a, x, origin);
	work_ask(w, sql_add_conversation);
	if (c->title.n > 0)
		search_index_title(w, x->w.conversation_as.key);
	if (c->metadata.p)
		archive_write_labels(w, x);
}

static void archive_write_usage(struct param *a, const struct archive_run *run)
{
	const struct usage *u = &run->usage;

	if (run->used)
		param_int(a, u->estimated);
	else
		param_null(a, PARAM_INT);
	param_int(a, u->in);
	param_int(a, u->out);
	param_int(a, u->cached_read);
	param_int(a, u->cached_write);
	param_int(a, u->reasoning);
}

static void archive_write_ask_run(struct work *w, const struct archive_import *x,
				  const struct archive_entry *entry, const struct archive_run *run)
{
	bool          live = run->status <= ARCHIVE_RUNNING;
	struct param *a = work_param(w);

	param_int(a, entry->as.key);
	param_secret(a, entry->as.secret);
	param_int(a, x->owner);
	param_int(a, w->db->gateway);
	param_int(a, x->w.conversation_as.key);
	param_int(a, archive_write_key(x, entry->last));
	param_int(a, archive_write_key(x, entry->parent));
	param_int(a, live ? RUN_INCOMPLETE : (int64_t)run->status);
	param_int(a, run->created_ms);
	param_int(a, run->first_token_ms);
	param_int(a, live ? run->created_ms : run->completed_ms);
	param_int(a, run->attempts);
	param_int(a, archive_write_key(x, entry->run));
	archive_write_usage(a, run);
	archive_write_text(a, run->model, PARAM_TEXT);
	archive_write_text(a, run->provider, PARAM_TEXT);
	archive_write_text(a, run->shape, PARAM_TEXT);
	archive_write_text(a, run->finish_reason, PARAM_TEXT);
	archive_write_text(a, run->instruction, PARAM_BYTES);
	archive_write_text(a, run->metadata, PARAM_TEXT);
	archive_write_text(a, live ? STR(ARCHIVE_CUT_OFF) : run->error, PARAM_TEXT);
	archive_write_text(a, run->settings, PARAM_TEXT);
	archive_write_text(a, run->request_id, PARAM_TEXT);
	archive_write_text(a, run->native_reason, PARAM_TEXT);
	work_ask(w, sql_add_run);
}

static void archive_write_run(struct work *w, struct archive_import *x,
			      const struct archive_entry *entry, struct err *e)
{
	struct archive_run run;
	struct arena       arena;

	arena_init(&arena, LIMIT_ARENA);
	if (archive_walk_run(&x->w, entry, &arena, &run, e) == ERR_OK)
		archive_write_ask_run(w, x, entry, &run);
	arena_finish(&arena);
}

#define M x->w.entries[i]
/* NOLINTBEGIN(bugprone-macro-parentheses): `add` is a statement */
#define EACH_MESSAGE(type, add)                        \
	do {                                           \
		param_begin(a, PARAM_##type);          \
		for (uint32_t i = from; i < to; i++)   \
			if (M.kind == ARCHIVE_MESSAGE) \
				(add);                 \
		param_end(a);                          \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

/* archive_write_run_of: as message.run has it; of a removed one, the complement. */
static int64_t archive_write_run_of(const struct archive_import *x, uint32_t i)
{
	int64_t run = archive_write_key(x, M.run);

	return M.text.p ? run : ~run;
}

static void archive_write_messages(struct work *w, const struct archive_import *x, uint32_t from,
				   uint32_t to)
{
	struct param *a = work_param(w);

	param_int(a, x->owner);
	param_int(a, x->w.conversation_as.key);
	EACH_MESSAGE(INT, param_int(a, M.as.key));
	EACH_MESSAGE(INT, param_secret(a, M.as.secret));
	EACH_MESSAGE(INT, param_int(a, archive_write_key(x, M.parent)));
	EACH_MESSAGE(INT, param_int(a, archive_write_run_of(x, i)));
	EACH_MESSAGE(INT, param_int(a, M.created_ms));
	EACH_MESSAGE(TEXT, param_text(a, M.text));
	param_begin(a, PARAM_INT);
	for (uint32_t i = from; i < to; i++)
		if (M.kind == ARCHIVE_RUN)
			param_int(a, M.as.key);
	param_end(a);
	work_ask(w, sql_add_messages);
	w->db->search_noted = true;
}

/* archive_write_entries: some rows, as many as one stage can ask for. */
static void archive_write_entries(struct work *w, struct archive_import *x, struct err *e)
{
	uint32_t from = x->at;
	size_t   bytes = 0;
	int      asked = 0;

	for (; x->at < x->w.count && x->at - from < IMPORT_ROWS && bytes < IMPORT_BYTES &&
	       asked < LINK_RESULTS / 2 && e->code == ERR_OK;
	     x->at++) {
		const struct archive_entry *entry = &x->w.entries[x->at];

		bytes += entry->text.n;
		if (entry->kind != ARCHIVE_RUN)
			continue;
		archive_write_run(w, x, entry, e);
		asked++;
	}
	if (e->code != ERR_OK)
		return;
	archive_write_messages(w, x, from, x->at);
	if (x->at == x->w.count) {
		param_int(work_param(w), x->w.conversation_as.key);
		work_ask(w, sql_add_model);
	}
}

/* --- all --- */

static void archive_write_done(struct archive_import *x, struct archive_write *j)
{
	if (!j->quiet && !archive_walk_print(&x->w, j->conversation_count > 0, &j->results))
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"too many conversations for one answer");
	j->conversation_count++;
	j->message_count += x->w.messages;
}

/* archive_write_next: begins the next conversation; after the last one, writes the key. */
static enum work_next archive_write_next(struct work *w, struct archive_import *x,
					 struct archive_write *j)
{
	/* The stored answer to an idempotency key has only ids of conversations, so it is deleted with
	 * none of them. */
	struct answer_object thing = { .owner = j->owner, .now_ms = j->now_ms, .job = &j->job };
	struct err          *e = &j->job.err;

	if (archive_walk_next(&x->w, e) != ERR_OK)
		return WORK_DONE;
	if (!x->w.found) {
		answer_made_put(w, &thing, &j->made, e);
		return e->code == ERR_OK && j->made.key.key.n > 0 ? WORK_LAST : WORK_DONE;
	}
	x->owner = j->owners && x->w.conversation.owned ? x->w.conversation.owner : j->owner;
	x->tries = 0;
	x->at = 0;
	if (!archive_walk_is_past(&x->w))
		archive_walk_renew(&x->w, 0);
	archive_write_ask_taken(w, x);
	return WORK_AGAIN;
}

/* archive_write_chosen: with unused ids, writes; else looks for others. */
static enum work_next archive_write_chosen(struct work *w, struct archive_import *x,
					   struct archive_write *j)
{
	if (cell_int(work_row(w, 0, 0), 0) == 0) {
		x->tries = -1;
		archive_write_conversation(w, x, j->origin);
		archive_write_entries(w, x, &j->job.err);
		return j->job.err.code == ERR_OK ? WORK_AGAIN : WORK_DONE;
	}
	if (x->tries == IMPORT_TRIES) {
		err_set(&j->job.err, ERR_STORAGE, "", "no unused ids could be found");
		return WORK_DONE;
	}
	archive_walk_renew(&x->w, x->tries++);
	archive_write_ask_taken(w, x);
	return WORK_AGAIN;
}

static enum work_next archive_write_begin(struct work *w, struct archive_write *j)
{
	struct archive_import *x;

	if (!answer_made_replay(w, 0, &j->made, &j->job.err))
		return WORK_DONE;
	x = work_state(w, sizeof *x, archive_write_finish);
	if (!x) {
		cell_no_memory(&j->job.err);
		return WORK_DONE;
	}
	j->conversation_count = j->message_count = 0;
	buf_clear(&j->results);
	archive_walk_init(&x->w, j->text, j->now_ms);
	return archive_write_next(w, x, j);
}

static enum work_next archive_write_step(struct work *w, struct archive_write *j)
{
	struct archive_import *x = w->state;

	if (w->stage == 0) {
		answer_made_ask(w, j->owner, &j->made);
		return WORK_AGAIN;
	}
	if (w->stage == 1)
		return archive_write_begin(w, j);
	if (!x || !x->w.found)
		return WORK_DONE; /* the key was written */
	if (x->tries >= 0)
		return archive_write_chosen(w, x, j);
	if (x->at < x->w.count) {
		archive_write_entries(w, x, &j->job.err);
		return j->job.err.code == ERR_OK ? WORK_AGAIN : WORK_DONE;
	}
	archive_write_done(x, j);
	return j->job.err.code == ERR_OK ? archive_write_next(w, x, j) : WORK_DONE;
}

OP(archive_write, WORK_WRITE, archive_write_step);
