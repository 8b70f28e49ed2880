/* Reads a branch of a conversation, from its root to the message before the turn. */
#include "base/limits.h"
#include "store/conversation.h"
#include "store/sql/cells.h"
#include "store/sqlite/kit/conn.h"
#include "store/sqlite/op.h"

enum {
	FOUND_LEAF,
	FOUND_TIP,
	FOUND_INSTRUCTION,
	FOUND_TARGET,
	FOUND_CAPPED
}; /* columns of sql_conversation */

static const char sql_conversation[] =
	"SELECT leaf, tip, instruction, target, EXISTS (SELECT 1 FROM "
	"budget WHERE key = 'conv:' || conversation.id AND limit_nano "
	"IS NOT NULL) FROM conversation WHERE id = ? AND secret = ? AND owner = ?";
static const char sql_turn[] = "SELECT secret, status, base, "
			       "EXISTS (SELECT 1 FROM message WHERE message.id = run.id) "
			       "FROM run WHERE id = ?";
static const char sql_has[] = "SELECT 1 FROM message WHERE id = ? AND secret = ? AND owner = ? "
			      "AND conversation = ? AND run >= 0";
static const char sql_message[] = "SELECT secret, prev, run, body FROM message WHERE id = ?";
static const char sql_instruction[] = "SELECT instruction FROM run WHERE id = ?";

struct link {
	struct link         *next; /* towards the leaf */
	struct store_message message;
};

/* branch_linked: finds, by its key, a row to which another row refers; if there is none, the database is
 * damaged. */
static int branch_linked(struct session *s, const char *sql, int64_t key, sqlite3_stmt **ret)
{
	struct db_bind b = conn_bind(s->conn, sql);

	db_bind_int(&b, key);
	*ret = b.st;
	int rc = db_bind_row(&b);
	if (rc == SQLITE_ROW)
		return SQLITE_OK;
	return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
}

/* branch_found: e says so if there is no row. */
static int branch_found(struct db_bind *b, const char *path, const char *missing, struct err *e)
{
	int rc = db_bind_row(b);

	if (rc == SQLITE_DONE)
		err_set(e, ERR_NOT_FOUND, path, "%s", missing);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_instruction(struct session *s, int64_t run, struct branch_read *j)
{
	sqlite3_stmt *st;
	int           rc = branch_linked(s, sql_instruction, run, &st);

	if (rc != SQLITE_OK || sqlite3_column_type(st, 0) == SQLITE_NULL)
		return rc;
	if (cell_keep(&j->arena, row_of(st), 0, &j->instruction, &j->job.err))
		j->instruction_set = true;
	return SQLITE_OK;
}

/* Reads a message and puts it before *list, unless its content was removed. */
static int read_link(struct session *s, struct branch_read *j, int64_t key, size_t *bytes,
		     int64_t *ret_prev, int64_t *ret_run, struct link **list)
{
	sqlite3_stmt *st;
	int           rc = branch_linked(s, sql_message, key, &st);

	if (rc != SQLITE_OK)
		return rc;

	*ret_prev = db_int(st, 1);
	*ret_run = db_int(st, 2);
	if (*ret_run < 0) {
		*ret_run = ~*ret_run; /* its content was removed */
		return SQLITE_OK;
	}
	*bytes += (size_t)sqlite3_column_bytes(st, 3);
	if (*bytes > LIMIT_BRANCH_BYTES ||
	    !cell_fits(&j->arena, (size_t)sqlite3_column_bytes(st, 3) + sizeof(struct link))) {
		branch_cell_too_long(j);
		return SQLITE_OK;
	}
	struct link *l = arena_alloc(&j->arena, sizeof *l);
	if (!l) {
		cell_no_memory(&j->job.err);
		return SQLITE_OK;
	}
	l->message.id = db_id(key, st, 0);
	if (!cell_keep(&j->arena, row_of(st), 3, &l->message.body, &j->job.err))
		return SQLITE_OK;
	l->next = *list;
	*list = l;
	return SQLITE_OK;
}

static void branch_read_flatten(struct branch_read *j, const struct link *list, size_t count)
{
	if (count == 0)
		return;
	if (!cell_fits(&j->arena, count * sizeof *j->messages)) {
		branch_cell_too_long(j);
		return;
	}
	struct store_message *all = arena_alloc(&j->arena, count * sizeof *all);
	if (!all) {
		cell_no_memory(&j->job.err);
		return;
	}
	for (size_t i = 0; i < count && list; i++, list = list->next)
		all[i] = list->message;
	j->messages = all;
	j->message_count = count;
	j->leaf = all[count - 1].id;
}

static int walk_branch(struct session *s, struct branch_read *j, int64_t key)
{
	struct link *list = NULL;
	size_t       steps = 0;
	size_t       bytes = 0;
	int64_t      asked = 0; /* the run whose instruction was read last */

	for (; key != 0; steps++) {
		int64_t run = 0;

		if (steps == LIMIT_BRANCH_LENGTH)
			return SQLITE_CORRUPT;
		int rc = read_link(s, j, key, &bytes, &key, &run, &list);
		if (rc == SQLITE_OK && j->job.err.code == ERR_OK && !j->instruction_set &&
		    run != 0 && run != asked) {
			rc = read_instruction(s, run, j);
			asked = run;
		}
		if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
			return rc;
	}
	size_t count = 0;
	for (const struct link *l = list; l; l = l->next)
		count++;
	branch_read_flatten(j, list, count);
	return SQLITE_OK;
}

static int branch_from(struct session *s, struct branch_read *j)
{
	struct db_bind b = conn_bind(s->conn, sql_has);

	db_bind_int(&b, j->from.key);
	db_bind_secret(&b, j->from.secret);
	db_bind_int(&b, j->owner);
	db_bind_int(&b, j->conversation.key);
	int rc = branch_found(&b, "parent", "this conversation has no such message", &j->job.err);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	return walk_branch(s, j, j->from.key);
}

static int branch_newest(struct session *s, struct branch_read *j, sqlite3_stmt *conversation)
{
	int64_t       leaf = db_int(conversation, FOUND_LEAF);
	int64_t       tip = db_int(conversation, FOUND_TIP);
	sqlite3_stmt *st;

	if (leaf == 0) {
		j->expected_leaf.key = tip;
		return walk_branch(s, j, tip);
	}
	int rc = branch_linked(s, sql_turn, leaf, &st);
	if (rc != SQLITE_OK)
		return rc;
	j->expected_leaf = tip ? (struct id){ .key = tip } : db_id(leaf, st, 0);
	j->live = db_int(st, 1) <= RUN_RUNNING;
	if (j->live)
		return SQLITE_OK;
	if (tip != 0)
		return walk_branch(s, j, tip);
	/* A turn without an answer is not continued. The next turn follows the message before it,
	 * which was chosen in the same way. */
	return walk_branch(s, j, db_int(st, 3) ? leaf : db_int(st, 2));
}

/* branch_find_run: finds the conversation of the run whose answer the branch ends with. */
static int branch_find_run(struct session *s, struct branch_read *j)
{
	struct db_bind b = conn_bind(s->conn, branch_cell_run.sqlite);

	db_bind_int(&b, j->run.key);
	db_bind_secret(&b, j->run.secret);
	db_bind_int(&b, j->owner);
	db_bind_text(&b, j->shape);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		return rc;
	struct row r = row_of(b.st);
	branch_cell_take(rc == SQLITE_ROW ? &r : NULL, j);
	(void)sqlite3_reset(b.st);
	return SQLITE_OK;
}

static int read_branch(struct session *s, struct branch_read *j)
{
	struct db_bind b;

	j->leaf = j->expected_leaf = (struct id){ 0 };
	j->live = j->instruction_set = false;
	j->instruction = STR_NONE;
	j->messages = NULL;
	j->message_count = 0;

	int rc = id_none(j->run) ? SQLITE_OK : branch_find_run(s, j);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	b = conn_bind(s->conn, sql_conversation);
	db_bind_int(&b, j->conversation.key);
	db_bind_secret(&b, j->conversation.secret);
	db_bind_int(&b, j->owner);
	rc = branch_found(&b, "conversation", "there is no such conversation", &j->job.err);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	j->target = db_int(b.st, FOUND_TARGET);
	j->capped = db_int(b.st, FOUND_CAPPED) != 0;
	if (!j->root)
		rc = id_none(j->from) ? branch_newest(s, j, b.st) : branch_from(s, j);
	if (rc != SQLITE_OK || j->job.err.code != ERR_OK || j->live || j->instruction_set ||
	    sqlite3_column_type(b.st, FOUND_INSTRUCTION) == SQLITE_NULL)
		return rc;
	/* No turn has set an instruction, so that of the fork's source applies. */
	j->instruction_set =
		cell_keep(&j->arena, row_of(b.st), FOUND_INSTRUCTION, &j->instruction, &j->job.err);
	return SQLITE_OK;
}

OP(branch_read, read_branch);
