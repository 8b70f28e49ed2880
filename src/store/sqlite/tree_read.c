/* Reads a page of a conversation's tree.
 *
 * Its turns come from two indexes, runs and messages that no run brought, and are merged by their
 * keys, which are in the order of their making.  What a run brought is found as everywhere: from
 * the message that its answer hangs on, back to the one that its own messages hang on. */
#include "base/limits.h"
#include "store/conversation.h"
#include "store/sqlite/conversation_row.h"
#include "store/sqlite/kit/row.h"
#include "store/sqlite/op.h"
#include "store/words/tree_nodes.h"

#include <stdlib.h>

/* ?1 is the conversation, ?2 the key after which the page begins, ?3 how many.  A run without any
 * message (an answer made anew that failed) is no turn of a page: no page could begin after it. */
static const char sql_runs[] =
	"SELECT id, secret, parent, base, model FROM run INDEXED BY run_conversation "
	"WHERE conversation = ?1 AND id > ?2 "
	"AND (parent <> base OR EXISTS (SELECT 1 FROM message m WHERE m.id = run.id)) "
	"ORDER BY id LIMIT ?3";
static const char sql_loose[] = "SELECT id FROM message INDEXED BY message_loose "
				"WHERE conversation = ?1 AND run BETWEEN -1 AND 0 AND id > ?2 "
				"ORDER BY id LIMIT ?3";
static const char sql_message[] =
	"SELECT m.secret, m.prev, p.secret, m.run, m.created_ms, m.body FROM message m "
	"LEFT JOIN message p ON p.id = m.prev WHERE m.id = ?1 AND m.conversation = ?2";
/* The turn of a message: its run, or itself. */
static const char sql_turn[] =
	"SELECT CASE WHEN run BETWEEN -1 AND 0 THEN id WHEN run < 0 THEN ~run ELSE run END "
	"FROM message WHERE id = ? AND secret = ? AND conversation = ?";

enum { TREE_BYTES = 16 * MIB };

/* A turn of the page; a message that no run brought has its key alone. */
struct tree_turn {
	int64_t    key;
	struct id  run;
	int64_t    parent, base;
	struct str model;
};

struct tree {
	struct session   *session;
	struct tree_read *job;
	struct tree_turn *turns; /* owned */
	size_t            turn_count;
	struct tree_nodes nodes;
};

/* tree_message: adds the message with this key; *ret_prev is the one that it hangs on.  SQLITE_DONE:
 * there is none. */
static int tree_message(struct tree *t, const struct tree_turn *turn, int64_t key,
			int64_t *ret_prev)
{
	struct db_bind b = conn_bind(t->session->conn, sql_message);

	db_bind_int(&b, key);
	db_bind_int(&b, t->job->conversation.key);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc;

	*ret_prev = db_int(b.st, 1);
	struct tree_message m = {
		.message = db_id(key, b.st, 0),
		.parent = db_id(*ret_prev, b.st, 2),
		.run = turn->run,
		.answer = key == turn->run.key,
		.removed = db_int(b.st, 3) < 0,
		.created_ms = db_int(b.st, 4),
		.body = db_column(b.st, 5),
		.model = turn->model,
	};
	return tree_nodes_add(&t->nodes, &m) ? SQLITE_ROW : SQLITE_NOMEM;
}

/* tree_turn: adds what a turn brought, in its order, and its answer. */
static int tree_turn(struct tree *t, const struct tree_turn *turn)
{
	size_t  first = t->nodes.count;
	int64_t key = turn->parent;
	int64_t prev;

	if (id_none(turn->run)) {
		int rc = tree_message(t, turn, turn->key, &prev);

		return rc == SQLITE_ROW ? SQLITE_OK : rc;
	}
	for (size_t steps = 0; key != 0 && key != turn->base; key = prev) {
		int rc = tree_message(t, turn, key, &prev);

		if (rc != SQLITE_ROW || ++steps > LIMIT_BRANCH_LENGTH)
			return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	}
	tree_nodes_turn(&t->nodes, first);
	int rc = tree_message(t, turn, turn->key, &prev);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- the page's turns --- */

static struct db_bind tree_bind(const struct tree *t, const char *sql, int64_t after)
{
	struct db_bind b = conn_bind(t->session->conn, sql);

	db_bind_int(&b, t->job->conversation.key);
	db_bind_int(&b, after);
	db_bind_int(&b, (int64_t)t->job->limit + 1);
	return b;
}

static int tree_find_turns(struct tree *t, int64_t after)
{
	struct db_bind b = tree_bind(t, sql_runs, after);
	int            rc = db_bind_row(&b);

	for (; rc == SQLITE_ROW; rc = db_row(b.st)) {
		struct tree_turn *turn = &t->turns[t->turn_count++];

		*turn = (struct tree_turn){ .key = db_int(b.st, 0),
					    .run = db_id(db_int(b.st, 0), b.st, 1),
					    .parent = db_int(b.st, 2),
					    .base = db_int(b.st, 3) };
		if (!cell_keep(&t->job->arena, row_of(b.st), 4, &turn->model, &t->job->job.err))
			return SQLITE_NOMEM;
	}
	if (rc != SQLITE_DONE)
		return rc;
	b = tree_bind(t, sql_loose, after);
	for (rc = db_bind_row(&b); rc == SQLITE_ROW; rc = db_row(b.st))
		t->turns[t->turn_count++] = (struct tree_turn){ .key = db_int(b.st, 0) };
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int tree_turn_order(const void *a, const void *b)
{
	const struct tree_turn *x = a;
	const struct tree_turn *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* tree_cursor: the key of the turn after which the page begins. */
static int tree_cursor(const struct tree *t, int64_t *ret)
{
	struct tree_read *j = t->job;

	*ret = INT64_MIN;
	if (id_none(j->after))
		return SQLITE_OK;
	struct db_bind b = conn_bind(t->session->conn, sql_turn);
	db_bind_int(&b, j->after.key);
	db_bind_secret(&b, j->after.secret);
	db_bind_int(&b, j->conversation.key);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a message of this conversation");
		return SQLITE_OK;
	}
	*ret = db_int(b.st, 0);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int tree_page(struct tree *t)
{
	struct tree_read *j = t->job;
	size_t            most = 2 * (j->limit + 1); /* turns of both indexes */
	size_t            i = 0;
	int64_t           after;
	int               rc = tree_cursor(t, &after);

	if (rc != SQLITE_OK || j->job.err.code != ERR_OK)
		return rc;
	t->turns = calloc(most, sizeof *t->turns);
	rc = t->turns ? tree_find_turns(t, after) : SQLITE_NOMEM;
	if (rc != SQLITE_OK)
		return rc;
	if (t->turn_count > 0)
		qsort(t->turns, t->turn_count, sizeof *t->turns, tree_turn_order);
	for (; rc == SQLITE_OK && i < t->turn_count && i < j->limit && t->nodes.bytes < TREE_BYTES;
	     i++)
		rc = tree_turn(t, &t->turns[i]);
	j->has_more = i < t->turn_count;
	return rc;
}

static int tree_read_nodes(struct session *s, struct tree_read *j)
{
	struct tree   t = { .session = s, .job = j };
	struct err   *e = &j->job.err;
	sqlite3_stmt *st;

	j->nodes = NULL;
	j->node_count = 0;
	j->has_more = false;
	int rc = conversation_row_find(s->conn, j->conversation, j->owner, "", &st, e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	tree_nodes_init(&t.nodes, &j->arena);
	rc = tree_page(&t);
	if (rc == SQLITE_OK && !tree_nodes_give(&t.nodes, &j->nodes, &j->node_count))
		rc = SQLITE_NOMEM;
	if (rc == SQLITE_NOMEM) {
		cell_no_memory(e);
		rc = SQLITE_OK;
	}
	tree_nodes_finish(&t.nodes);
	free(t.turns);
	return rc;
}

OP(tree_read, tree_read_nodes);
