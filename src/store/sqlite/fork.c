/* Forks a conversation: walks from the message to the root, then copies from the root on. */
#include "store/sqlite/conversation_write.h"

#include "base/limits.h"
#include "store/common/excerpt.h"
#include "store/conversation.h"
#include "store/sqlite/kit/conn.h"

#include <stdlib.h>

static const char sql_find[] = "SELECT 1 FROM message "
			       "WHERE id = ? AND secret = ? AND conversation = ? AND run >= 0";
static const char sql_turn[] =
	"SELECT parent, EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
	"FROM run WHERE id = ?";
static const char sql_link[] = "SELECT prev, run, body FROM message WHERE id = ?";
static const char sql_instructs[] = "SELECT instruction IS NOT NULL FROM run WHERE id = ?";
static const char sql_copy[] =
	"INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, body) "
	"SELECT ?1, ?2, ?3, ?4, ?5, 0, created_ms, body FROM message WHERE id = ?6";
/* An empty one has ended those before it. */
static const char sql_finish[] =
	"UPDATE conversation SET tip = ?2, instruction = nullif(ifnull("
	"(SELECT instruction FROM run WHERE id = ?3), "
	"(SELECT instruction FROM conversation WHERE id = ?4)), ''), messages = ?5, excerpt = ?6, "
	"model = (SELECT model FROM conversation WHERE id = ?4), "
	"target = (SELECT target FROM conversation WHERE id = ?4), recent = iif(origin, ?2, NULL) "
	"WHERE id = ?1";

void fork_finish(struct fork *fork)
{
	free(fork->keys);
	*fork = (struct fork){ 0 };
}

/* --- what is copied --- */

static int find_message(struct conn *c, struct conversation_write *j, int64_t *ret)
{
	struct db_bind b = conn_bind(c, sql_find);

	db_bind_int(&b, j->message.key);
	db_bind_secret(&b, j->message.secret);
	db_bind_int(&b, j->source.key);
	int rc = db_bind_row(&b);
	*ret = j->message.key;
	if (rc == SQLITE_ROW)
		return sqlite3_reset(b.st);
	if (rc == SQLITE_DONE)
		err_set(&j->job.err, ERR_NOT_FOUND, "at", "this conversation has no such message");
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The newest that is there: while a turn is answered, or when it was not, the last one that it
 * brought.  So it is what lists show, too. */
static int find_newest(struct conn *c, int64_t leaf, int64_t tip, int64_t *ret)
{
	struct db_bind b = conn_bind(c, sql_turn);

	*ret = tip;
	if (tip != 0 || leaf == 0)
		return SQLITE_OK;
	db_bind_int(&b, leaf);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(b.st, 1) ? leaf : db_int(b.st, 0);
	return sqlite3_reset(b.st);
}

static bool fork_add_key(struct fork *fork, int64_t key)
{
	if (fork->count == fork->cap) {
		size_t   cap = fork->cap ? 2 * fork->cap : 256;
		int64_t *grown = realloc(fork->keys, cap * sizeof *grown);

		if (!grown)
			return false;
		fork->keys = grown;
		fork->cap = cap;
	}
	fork->keys[fork->count++] = key;
	return true;
}

static int has_instruction(struct conn *c, int64_t run, bool *ret)
{
	struct db_bind b = conn_bind(c, sql_instructs);

	db_bind_int(&b, run);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	*ret = db_int(b.st, 0) != 0;
	return sqlite3_reset(b.st);
}

/* The state of a walk. */
struct walk {
	int64_t key;
	int64_t asked; /* the run whose instruction was looked for last */
	size_t  bytes;
};

static int fork_step(struct conn *c, struct walk *w, struct fork *fork, struct err *e)
{
	struct db_bind b = conn_bind(c, sql_link);

	db_bind_int(&b, w->key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;

	int64_t prev = db_int(b.st, 0);
	int64_t run = db_int(b.st, 1);
	w->bytes += (size_t)sqlite3_column_bytes(b.st, 2);
	(void)sqlite3_reset(b.st);
	if (run >= 0 && !fork_add_key(fork, w->key))
		cell_no_memory(e);
	run = run < 0 ? ~run : run; /* the content was removed, but not the settings of its turn */
	if (fork->run == 0 && run != 0 && run != w->asked) {
		bool sets = false;

		rc = has_instruction(c, run, &sets);
		if (rc != SQLITE_OK)
			return rc;
		fork->run = sets ? run : 0;
		w->asked = run;
	}
	w->key = prev;
	return SQLITE_OK;
}

int fork_plan(struct conn *c, struct conversation_write *j, int64_t leaf, int64_t tip,
	      struct fork *ret)
{
	struct walk w = { 0 };
	struct err *e = &j->job.err;
	int         rc = id_none(j->message) ? find_newest(c, leaf, tip, &w.key)
					     : find_message(c, j, &w.key);

	for (size_t left = LIMIT_FORK; rc == SQLITE_OK && e->code == ERR_OK && w.key != 0; left--) {
		if (left > 0)
			rc = fork_step(c, &w, ret, e);
		if (left == 0 || w.bytes > LIMIT_BRANCH_BYTES) {
			err_set(e, ERR_REQUEST_TOO_LARGE, "at",
				"a fork copies at most %d messages and %u MiB; fork at an earlier message",
				LIMIT_FORK, LIMIT_BRANCH_BYTES / MIB);
			break;
		}
	}
	return rc;
}

/* --- the copy --- */

static int copy_one(struct conn *c, const struct conversation_write *j, int64_t from, struct id to,
		    int64_t prev)
{
	struct db_bind b = conn_bind(c, sql_copy);

	db_bind_int(&b, to.key);
	db_bind_secret(&b, to.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, prev);
	db_bind_int(&b, from);
	return db_bind_run(&b);
}

/* fork_excerpt: of the last message that is copied. */
static int fork_excerpt(struct conn *c, const struct fork *fork, struct excerpt *ret)
{
	struct db_bind b;

	excerpt_read(ret, STR_NONE);
	if (fork->count == 0)
		return SQLITE_OK;
	b = conn_bind(c, sql_link);
	db_bind_int(&b, fork->keys[0]);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	excerpt_read(ret, db_column(b.st, 2));
	return sqlite3_reset(b.st);
}

int fork_copy(struct conn *c, const struct conversation_write *j, const struct fork *fork)
{
	struct excerpt last;
	int64_t        prev = 0;
	int            rc = fork_excerpt(c, fork, &last);

	for (size_t i = fork->count; rc == SQLITE_OK && i > 0; i--) {
		struct id to = id_new();

		rc = copy_one(c, j, fork->keys[i - 1], to, prev);
		prev = to.key;
	}
	if (rc != SQLITE_OK)
		return rc;
	struct db_bind b = conn_bind(c, sql_finish);
	db_bind_int(&b, j->conversation.key);
	db_bind_int(&b, prev);
	db_bind_int(&b, fork->run);
	db_bind_int(&b, j->source.key);
	db_bind_int(&b, (int64_t)fork->count);
	db_bind_maybe(&b, excerpt_text(&last));
	return db_bind_run(&b);
}
