/* Reads a page of a conversation's tree.
 *
 * Its turns come from two indexes, runs and messages that no run brought, and are merged by their keys, which
 * are in the order of their making.  What a run brought is found from the message that its answer hangs on,
 * back to the one that its own messages hang on. */
#include "base/limits.h"
#include "store/conversation.h"
#include "store/sql/conversation_cell.h"
#include "store/postgres/operation.h"
#include "store/words/tree_nodes.h"

/* The turn of a message: its run, or itself. */
static const char sql_turn[] =
	"SELECT CASE WHEN run BETWEEN -1 AND 0 THEN id WHEN run < 0 THEN ~run ELSE run END "
	"FROM message WHERE id = $1 AND secret = $2 AND conversation = $3";
/* $1 the conversation, $2 the key after which the page begins, $3 how many.  A run without any message (an
 * answer made anew that failed) is no turn of a page: no page could begin after it. */
static const char sql_turns[] =
	"SELECT t.id, t.secret, t.parent, t.base, t.model FROM ((SELECT r.id, r.secret, r.parent, "
	"r.base, r.model FROM run r WHERE r.conversation = $1 AND r.id > $2 AND (r.parent <> r.base "
	"OR EXISTS (SELECT 1 FROM message m WHERE m.id = r.id)) ORDER BY r.id LIMIT $3) UNION ALL "
	"(SELECT l.id, NULL, 0, 0, NULL FROM message l WHERE l.conversation = $1 "
	"AND l.run BETWEEN -1 AND 0 AND l.id > $2 ORDER BY l.id LIMIT $3)) t ORDER BY t.id LIMIT $3";
/* The messages of the turns, each turn's in order and its answer last (step 0), as many turns as begin within
 * $4 bytes. */
static const char sql_messages[] =
	"WITH RECURSIVE t AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::bigint[], "
	"$3::bigint[]) WITH ORDINALITY AS t(id, parent, base, at)), "
	"w AS (SELECT t.at, t.base, 1::bigint AS step, m.id, m.prev, "
	"octet_length(m.body)::bigint AS bytes FROM t JOIN message m ON m.id = t.parent "
	"WHERE t.parent <> 0 AND t.parent <> t.base UNION ALL SELECT w.at, w.base, w.step + 1, m.id, "
	"m.prev, octet_length(m.body)::bigint FROM w JOIN message m ON m.id = w.prev "
	"WHERE w.prev <> 0 AND w.prev <> w.base AND w.step < $5), "
	"a AS (SELECT at, step, id, bytes FROM w UNION ALL SELECT t.at, 0, m.id, "
	"octet_length(m.body) FROM t JOIN message m ON m.id = t.id), "
	"s AS (SELECT at, coalesce(sum(sum(bytes)) OVER (ORDER BY at ROWS BETWEEN UNBOUNDED "
	"PRECEDING AND 1 PRECEDING), 0) AS before FROM a GROUP BY at) "
	"SELECT a.at, m.id, m.secret, m.prev, p.secret, m.run, m.created_ms, m.body FROM s "
	"JOIN a USING (at) JOIN message m ON m.id = a.id LEFT JOIN message p ON p.id = m.prev "
	"WHERE s.before < $4 ORDER BY a.at, a.step DESC";

enum { TREE_PAGE_BYTES = 16 * MIB, TREE_CONVERSATION = 0, TREE_CURSOR = 1 };

struct tree_turn {
	struct id  run; /* none: a message that no run brought */
	struct str model;
};

struct tree_state {
	size_t           count; /* the page's turns */
	bool             more;
	struct tree_turn turns[];
};

static void tree_ask(struct work *w, const struct tree_read *j)
{
	struct param *a;

	conversation_cell_params(work_param(w), j->conversation, j->owner);
	work_ask(w, conversation_cell_find);
	a = work_param(w);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	param_int(a, j->conversation.key);
	work_ask(w, sql_turn);
}

static enum work_next tree_ask_turns(struct work *w, struct tree_read *j)
{
	int64_t       after = INT64_MIN;
	struct param *a;

	if (work_rows(w, TREE_CONVERSATION) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	} else if (!id_none(j->after)) {
		if (work_rows(w, TREE_CURSOR) == 0)
			err_set(&j->job.err, ERR_INVALID_VALUE, "after",
				"must be the id of a message of this conversation");
		else
			after = cell_int(work_row(w, TREE_CURSOR, 0), 0);
	}
	if (j->job.err.code != ERR_OK)
		return WORK_DONE;
	a = work_param(w);
	param_int(a, j->conversation.key);
	param_int(a, after);
	param_int(a, (int64_t)j->limit + 1);
	work_ask(w, sql_turns);
	return WORK_AGAIN;
}

static enum work_next tree_ask_messages(struct work *w, struct tree_read *j)
{
	size_t             rows = (size_t)work_rows(w, 0);
	size_t             count = rows < j->limit ? rows : j->limit;
	struct tree_state *s = work_state(w, sizeof *s + count * sizeof s->turns[0], NULL);
	struct param      *a;

	if (!s) {
		cell_no_memory(&j->job.err);
		return WORK_DONE;
	}
	s->count = count;
	s->more = rows > count;
	for (size_t i = 0; i < count; i++) {
		struct row r = work_row(w, 0, (int)i);

		if (!cell_null(r, 1))
			s->turns[i].run = cell_id(cell_int(r, 0), r, 1);
		if (!cell_keep(&j->arena, r, 4, &s->turns[i].model, &j->job.err))
			return WORK_DONE;
	}
	a = work_param(w);
	PARAM_EACH(a, PARAM_INT, i, count, param_int(a, cell_int(work_row(w, 0, (int)i), 0)));
	PARAM_EACH(a, PARAM_INT, i, count, param_int(a, cell_int(work_row(w, 0, (int)i), 2)));
	PARAM_EACH(a, PARAM_INT, i, count, param_int(a, cell_int(work_row(w, 0, (int)i), 3)));
	param_int(a, TREE_PAGE_BYTES);
	param_int(a, LIMIT_BRANCH_LENGTH);
	work_ask(w, sql_messages);
	return WORK_AGAIN;
}

static bool tree_add(struct tree_nodes *t, const struct tree_state *s, struct row r)
{
	const struct tree_turn *turn = &s->turns[cell_int(r, 0) - 1];
	int64_t                 key = cell_int(r, 1);

	return tree_nodes_add(t, &(struct tree_message){
					 .message = cell_id(key, r, 2),
					 .parent = cell_id(cell_int(r, 3), r, 4),
					 .run = turn->run,
					 .answer = key == turn->run.key,
					 .removed = cell_int(r, 5) < 0,
					 .created_ms = cell_int(r, 6),
					 .body = cell_str(r, 7),
					 .model = turn->model,
				 });
}

static void tree_keep(const struct work *w, struct tree_read *j)
{
	const struct tree_state *s = w->state;
	struct tree_nodes        t;
	int                      rows = work_rows(w, 0);
	bool                     ok = true;

	tree_nodes_init(&t, &j->arena);
	for (int i = 0; ok && i < rows; i++)
		ok = tree_add(&t, s, work_row(w, 0, i));
	if (!ok || !tree_nodes_give(&t, &j->nodes, &j->node_count))
		cell_no_memory(&j->job.err);
	tree_nodes_finish(&t);
	size_t shown = rows > 0 ? (size_t)cell_int(work_row(w, 0, rows - 1), 0) : 0;
	j->has_more = s->more || shown < s->count;
}

static enum work_next tree_read_step(struct work *w, struct tree_read *j)
{
	switch (w->stage) {
	case 0:
		j->nodes = NULL;
		j->node_count = 0;
		j->has_more = false;
		tree_ask(w, j);
		return WORK_AGAIN;
	case 1: return tree_ask_turns(w, j);
	case 2: return tree_ask_messages(w, j);
	default: tree_keep(w, j); return WORK_DONE;
	}
}

OP(tree_read, WORK_SNAPSHOT, tree_read_step);
