/* Reads a page of a conversation's tree.
 *
 * Its turns come from two indexes, runs and messages that no run brought, and are merged by their keys, which
 * are in the order of their making.  What a run brought is found from the message that its answer hangs on,
 * back to the one that its own messages hang on. */
#include "base/limits.h"
#include "base/utf8.h"
#include "store/sql/cells.h"
#include "store/words/search_text.h"

#include <stdlib.h>

/* The turn of a message: its run, or itself. */
static const char sql_turn[] =
	"SELECT CASE WHEN run BETWEEN -1 AND 0 THEN id WHEN run < 0 THEN ~run ELSE run END "
	"FROM message WHERE id = $1 AND secret = $2 AND conversation = $3";
/* $1 the conversation, $2 the key after which the page begins, $3 how many.  A run without any message (an
 * answer made anew that failed) is no turn of a page: no page could begin after it. */
#define TURNS(E)                                                                                                             \
	"SELECT r.id, r.secret, r.parent, r.base, r.model FROM (SELECT id, secret, parent, base, "                           \
	"model FROM run " E##_INDEX(                                                                                         \
		"run_conversation") "WHERE conversation = $1 AND id > $2 AND (parent <> base "                               \
				    "OR EXISTS (SELECT 1 FROM message m WHERE m.id = run.id)) ORDER BY id LIMIT $3) r "      \
				    "UNION ALL SELECT l.id, NULL, 0, 0, NULL FROM (SELECT id FROM message " E##_INDEX(       \
					    "message_loose") "WHERE conversation = $1 AND run BETWEEN -1 AND 0 AND id > $2 " \
							     "ORDER BY id LIMIT $3) l ORDER BY id LIMIT $3"
static const struct sql sql_turns = SQL_EITHER(TURNS);
/* A server sends as many turns as begin within $4 bytes. */
static const struct sql sql_messages = {
	/* LIMIT: without it, SQLite forgets the order of an inner query. */
	TURN_CELL_PARTS(
		SQLITE) "o AS (SELECT * FROM a ORDER BY at, step DESC LIMIT -1) " TURN_CELL
			"FROM o AS a CROSS JOIN message m ON m.id = a.id LEFT JOIN message p ON p.id = m.prev",
	TURN_CELL_PARTS(
		POSTGRES) "s AS (SELECT at, coalesce(sum(sum(octet_length(m.body))) OVER "
			  "(ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before "
			  "FROM a JOIN message m ON m.id = a.id GROUP BY at) " TURN_CELL
			  "FROM s JOIN a ON a.at = s.at JOIN message m ON m.id = a.id "
			  "LEFT JOIN message p ON p.id = m.prev WHERE s.before < $4 ORDER BY a.at, a.step DESC",
};

enum {
	TREE_BYTES = 16 * MIB,
	TREE_TEXT = KIB, /* a preview needs no more */
};

struct tree_turn {
	int64_t    key;
	struct id  run; /* none: a message that no run brought */
	struct str model;
	bool       brings; /* the run brought messages */
};

struct tree_state {
	size_t           count; /* the page's turns */
	bool             more;
	struct tree_turn turns[];
};

static void tree_ask(struct query *q, const struct tree_read *j)
{
	struct param *a;

	conversation_cell_ask(q, j->conversation, j->owner);
	a = query_param(q);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	param_int(a, j->conversation.key);
	query_ask(q, sql_turn);
}

static enum work_next tree_ask_turns(struct query *q, struct tree_read *j)
{
	int64_t       after = INT64_MIN;
	struct row    r;
	struct param *a;

	if (!query_row(q, 0, &r))
		err_set(&j->job.err, ERR_NOT_FOUND, "", "there is no such conversation");
	else if (!id_none(j->after) && !query_row(q, 1, &r))
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a message of this conversation");
	else if (!id_none(j->after))
		after = cell_int(r, 0);
	if (j->job.err.code != ERR_OK)
		return WORK_DONE;
	a = query_param(q);
	param_int(a, j->conversation.key);
	param_int(a, after);
	param_int(a, (int64_t)j->limit + 1);
	query_ask_either(q, &sql_turns);
	return WORK_AGAIN;
}

static bool tree_keep_turns(struct query *q, struct tree_read *j)
{
	struct tree_state *s = query_state(q, sizeof *s + j->limit * sizeof s->turns[0], NULL);
	struct row         r;

	if (!s)
		cell_no_memory(&j->job.err);
	while (s && query_row(q, 0, &r)) {
		struct tree_turn *turn = &s->turns[s->count];
		int64_t           parent = cell_int(r, 2);

		s->more = s->count == j->limit;
		if (s->more)
			break;
		turn->key = cell_int(r, 0);
		turn->brings = parent != 0 && parent != cell_int(r, 3);
		if (!cell_null(r, 1))
			turn->run = cell_id(turn->key, r, 1);
		if (!cell_keep(&j->arena, r, 4, &turn->model, &j->job.err))
			break;
		s->count++;
	}
	return j->job.err.code == ERR_OK;
}

static enum work_next tree_ask_messages(struct query *q, struct tree_read *j)
{
	if (!tree_keep_turns(q, j))
		return WORK_DONE;
	const struct tree_state *s = q->state;
	struct param            *a = query_param(q);
	PARAM_EACH(a, PARAM_INT, i, s->count, param_int(a, s->turns[i].key));
	param_int(a, j->conversation.key);
	param_int(a, LIMIT_BRANCH_LENGTH);
	param_int(a, TREE_BYTES);
	query_ask_either(q, &sql_messages);
	return WORK_AGAIN;
}

/* --- nodes, with the beginnings of their texts --- */

struct tree_nodes {
	struct arena      *arena; /* borrowed; of the texts */
	struct tree_node  *all;   /* owned */
	size_t             count;
	size_t             cap;
	size_t             bytes; /* size of the bodies */
	struct search_text text;
};

/* tree_preview: the beginning of a text, with a blank for each control character. */
static struct str tree_preview(struct arena *a, struct str text)
{
	size_t n = 0;

	for (int i = 0; i < TREE_PREVIEW && n < text.n; i++) {
		size_t step = utf8_len((const unsigned char *)text.p + n, text.n - n);

		if (step == 0) /* the text was cut in the middle of a character */
			break;
		n += step;
	}
	struct str copy = arena_str(a, (struct str){ text.p ? text.p : "", n });
	for (size_t i = 0; copy.p && i < n; i++)
		if ((unsigned char)copy.p[i] < ' ')
			((char *)(uintptr_t)copy.p)[i] = ' ';
	return copy;
}

static bool tree_grow(struct tree_nodes *t)
{
	if (t->count < t->cap)
		return true;
	size_t            cap = t->cap ? 2 * t->cap : 128;
	struct tree_node *grown = realloc(t->all, cap * sizeof *grown);

	if (!grown)
		return false;
	t->all = grown;
	t->cap = cap;
	return true;
}

/* tree_add: adds the node of a row; false: no memory. */
static bool tree_add(struct tree_nodes *t, const struct tree_turn *turn, struct row r)
{
	int64_t    key = cell_int(r, TURN_CELL_ID);
	bool       removed = cell_int(r, TURN_CELL_RUN) < 0;
	bool       answer = key == turn->run.key;
	struct str body = removed ? STR_NONE : cell_str(r, TURN_CELL_BODY);

	t->bytes += body.n;
	if (!search_text_read(&t->text, body) || !tree_grow(t))
		return false;
	struct str preview = tree_preview(t->arena, buf_view(&t->text.text));
	if (!preview.p)
		return false;
	t->all[t->count++] = (struct tree_node){
		.message = cell_id(key, r, TURN_CELL_SECRET),
		.parent = cell_id(cell_int(r, TURN_CELL_PARENT), r, TURN_CELL_PARENT_SECRET),
		.run = turn->run,
		.answer = answer,
		.removed = removed,
		.created_ms = cell_int(r, TURN_CELL_CREATED_MS),
		.role = search_role_name(answer ? SEARCH_ROLE_ASSISTANT : t->text.role),
		.preview = preview,
		.model = answer ? turn->model : STR_NONE,
	};
	return true;
}

/* tree_give: the nodes, in the arena; false: no memory. */
static bool tree_give(const struct tree_nodes *t, struct tree_read *j)
{
	if (t->count == 0)
		return true;
	j->nodes = arena_alloc(t->arena, t->count * sizeof *j->nodes);
	if (!j->nodes)
		return false;
	memcpy(j->nodes, t->all, t->count * sizeof *j->nodes);
	j->node_count = t->count;
	return true;
}

/* --- the page --- */

/* tree_is_whole: whether no turn lacks what its run brought, from `from` up to `to`, whose first message is r. */
static bool tree_is_whole(const struct tree_state *s, size_t from, size_t to, const struct row *r)
{
	for (; from < to; from++)
		if (s->turns[from].brings)
			return false;
	return !r || !s->turns[to].brings || turn_cell_begins(*r);
}

static void tree_keep(struct query *q, struct tree_read *j)
{
	const struct tree_state *s = q->state;
	struct tree_nodes        t = { .arena = &j->arena };
	struct row               r;
	size_t                   begun = 0; /* number of turns up to that of the last message */
	bool                     ok = true, whole = true;

	search_text_init(&t.text);
	buf_init(&t.text.text, TREE_TEXT);
	while (ok && whole && query_row(q, 0, &r)) {
		size_t at = (size_t)cell_int(r, TURN_CELL_AT);

		if (at >= begun && t.bytes >= TREE_BYTES)
			break;
		if (at >= begun)
			whole = tree_is_whole(s, begun, at, &r);
		begun = at + 1;
		ok = tree_add(&t, &s->turns[at], r);
	}
	j->has_more = s->more || (begun < s->count && t.bytes >= TREE_BYTES);
	if (t.bytes < TREE_BYTES)
		whole = whole && tree_is_whole(s, begun, s->count, NULL);
	if (!ok)
		cell_no_memory(&j->job.err);
	else if (!whole)
		cell_damaged(&j->job.err);
	else if (!tree_give(&t, j))
		cell_no_memory(&j->job.err);
	search_text_finish(&t.text);
	free(t.all);
}

static enum work_next read_tree(struct query *q, struct tree_read *j)
{
	switch (q->stage) {
	case 0:
		j->nodes = NULL;
		j->node_count = 0;
		j->has_more = false;
		tree_ask(q, j);
		return WORK_AGAIN;
	case 1: return tree_ask_turns(q, j);
	case 2: return tree_ask_messages(q, j);
	default: tree_keep(q, j); return WORK_DONE;
	}
}

SQL_OP(tree_read, WORK_SNAPSHOT, read_tree);
