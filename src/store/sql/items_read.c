/* Reads a page of a branch's messages, and of the messages that a response brought. */
#include "base/limits.h"
#include "msg/family.h"
#include "store/conversation.h"
#include "store/sql/cell.h"
#include "store/sql/cells.h"

/* Stage 0: the end of the branch. */
static const char sql_conversation[] =
	"SELECT c.tip, c.leaf, coalesce(r.parent, 0), "
	"CAST(CAST(EXISTS (SELECT 1 FROM message a WHERE a.id = c.leaf) AS int) AS bigint), "
	"CAST(CAST(EXISTS (SELECT 1 FROM message m WHERE m.id = $4 AND m.secret = $5 "
	"AND m.owner = $3 AND m.conversation = c.id AND m.run >= 0) AS int) AS bigint) "
	"FROM conversation c LEFT JOIN run r ON r.id = c.leaf "
	"WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3";
static const char sql_run[] =
	"SELECT r.parent, r.base FROM run r LEFT JOIN message m ON m.id = r.id "
	"WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND r.shape = '" SHAPE_RESPONSES "' "
	"AND (m.run IS NULL OR m.run >= 0)";
/* Stage 1: the keys, leaf first, and whether another one must follow. */
#define WALK(E)                                                                             \
	"WITH RECURSIVE w AS (SELECT CAST(1 AS bigint) AS step, m.id, m.secret, m.prev, "   \
	"m.run FROM message m WHERE m.id = $1 AND m.id <> $2 UNION ALL SELECT w.step + 1, " \
	"m.id, m.secret, m.prev, m.run FROM w " E##_JOIN                                    \
		"message m ON m.id = w.prev "                                               \
		"WHERE m.id <> $2 AND w.step < $3) SELECT id, secret, run, "                \
		"CAST(CAST(prev <> 0 AND prev <> $2 AS int) AS bigint) FROM w " E##_ORDER("step")
static const struct sql sql_walk = SQL_EITHER(WALK);
/* Stage 1, with an instruction: that of the nearest turn that has set one, else that of a fork's source.  The run
 * of a removed message counts nevertheless. */
#define ITEMS_RUN "CASE WHEN m.run < 0 THEN ~m.run ELSE m.run END"
#define INSTRUCTION(E)                                                                         \
	"WITH RECURSIVE w AS (SELECT CAST(1 AS bigint) AS step, m.prev, " ITEMS_RUN " AS run " \
	"FROM message m WHERE m.id = $1 UNION ALL SELECT w.step + 1, m.prev, " ITEMS_RUN       \
	" FROM w " E##_JOIN                                                                    \
		"message m ON m.id = w.prev WHERE w.step < $2 AND NOT EXISTS "                 \
		"(SELECT 1 FROM run r WHERE r.id = w.run AND r.instruction IS NOT NULL)) "     \
		"SELECT coalesce((SELECT r.instruction FROM w JOIN run r ON r.id = w.run "     \
		"WHERE r.instruction IS NOT NULL ORDER BY w.step LIMIT 1), "                   \
		"(SELECT c.instruction FROM conversation c WHERE c.id = $3))"
static const struct sql sql_instruction = SQL_EITHER(INSTRUCTION);
/* Stage 2: the messages of the page, in the order of the keys; a server sends them as far as they fit into it:
 * the first one always comes. */
static const struct sql sql_items = {
	"SELECT m.id, m.secret, m.created_ms, r.status, m.body, r.model FROM json_each($1) k "
	"CROSS JOIN message m ON m.id = k.value LEFT JOIN run r ON r.id = m.id AND m.run = m.id",
	"SELECT p.id, p.secret, p.created_ms, p.status, p.body, p.model FROM (SELECT k.at, m.id, "
	"m.secret, m.created_ms, r.status, m.body, r.model, coalesce(sum(octet_length(m.body)) OVER "
	"(ORDER BY k.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before "
	"FROM unnest($1::bigint[]) WITH ORDINALITY AS k(id, at) JOIN message m ON m.id = k.id "
	"LEFT JOIN run r ON r.id = m.id AND m.run = m.id) p WHERE p.before <= $2 ORDER BY p.at",
};

struct items_state {
	bool   some;   /* the walk has a first message */
	size_t wanted; /* keys that were asked for */
};

static void items_ask(struct query *q, const struct items_read *j)
{
	struct param *a = query_param(q);
	bool          run = !id_none(j->run);

	param_int(a, run ? j->run.key : j->conversation.key);
	param_secret(a, run ? j->run.secret : j->conversation.secret);
	param_int(a, j->owner);
	if (!run) {
		param_int(a, j->leaf.key);
		param_secret(a, j->leaf.secret);
	}
	query_ask(q, run ? sql_run : sql_conversation);
}

/* items_end: the last message of the branch, and the one that ends the walk. */
static void items_end(struct query *q, struct items_read *j, int64_t *ret_end, int64_t *ret_base)
{
	struct row r;

	*ret_end = *ret_base = 0;
	if (!query_row(q, 0, &r)) {
		err_set(&j->job.err, ERR_NOT_FOUND, "",
			id_none(j->run) ? "there is no such conversation"
					: "there is no such response");
	} else if (!id_none(j->run)) {
		*ret_end = cell_int(r, 0);
		*ret_base = cell_int(r, 1);
	} else if (!id_none(j->leaf)) {
		*ret_end = j->leaf.key;
		if (!cell_int(r, 4))
			err_set(&j->job.err, ERR_NOT_FOUND, "leaf",
				"this conversation has no such message");
	} else if (cell_int(r, 0)) {
		*ret_end = cell_int(r, 0);
	} else {
		/* The messages of the newest turn can be read even without an answer. */
		*ret_end = cell_int(r, 3) ? cell_int(r, 1) : cell_int(r, 2);
	}
}

static enum work_next items_walk(struct query *q, struct items_read *j)
{
	int64_t             end;
	int64_t             base;
	struct param       *a;
	struct items_state *s = query_state(q, sizeof *s, NULL);

	items_end(q, j, &end, &base);
	if (!s)
		cell_no_memory(&j->job.err);
	if (!s || j->job.err.code != ERR_OK)
		return WORK_DONE;
	s->some = end != 0 && end != base;
	a = query_param(q);
	param_int(a, end);
	param_int(a, base);
	param_int(a, LIMIT_BRANCH_LENGTH);
	query_ask_either(q, &sql_walk);
	if (j->with_instruction) {
		a = query_param(q);
		param_int(a, end);
		param_int(a, LIMIT_BRANCH_LENGTH);
		param_int(a, j->conversation.key);
		query_ask_either(q, &sql_instruction);
	}
	return WORK_AGAIN;
}

static void items_keep_instruction(struct query *q, struct items_read *j)
{
	struct row r;

	if (!j->with_instruction || !query_row(q, 1, &r) || cell_null(r, 0))
		return;
	if (cell_fits(&j->arena, cell_str(r, 0).n))
		(void)!cell_keep(&j->arena, r, 0, &j->instruction, &j->job.err);
	else
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the instruction is too large for a list");
}

/* Keys of the walk without removed messages, of which `newer` come before the cursor. */
struct walked {
	struct key_list keys;
	size_t          newer;
	size_t          after; /* place of the first key after the cursor */
	bool            met;
};

/* items_enough: for newest first, one more than the page. */
static bool items_enough(const struct walked *k, const struct items_read *j)
{
	if (!j->descending || (!k->met && !id_none(j->after)))
		return false;
	return k->keys.count > k->after && k->keys.count - k->after > j->limit;
}

/* items_walked: a message with a row that refers to it must exist. */
static bool items_walked(struct query *q, struct items_read *j, struct walked *k)
{
	const struct items_state *s = q->state;
	struct row                r;
	bool                      more = s->some;

	while (!items_enough(k, j)) {
		if (!query_row(q, 0, &r)) {
			if (more)
				cell_damaged(&j->job.err);
			return true;
		}
		more = cell_int(r, 3);
		int64_t key = cell_int(r, 0);
		size_t  newer = k->keys.count;

		if (cell_int(r, 2) >= 0 && !key_list_add(&k->keys, key))
			return false;
		/* A removed message is still valid as a cursor. */
		if (key == j->after.key && (uint64_t)cell_int(r, 1) == j->after.secret) {
			k->met = true;
			k->newer = newer;
			k->after = k->keys.count;
		}
	}
	return true;
}

static enum work_next items_choose(struct query *q, struct items_read *j, const struct walked *k)
{
	struct items_state *s = q->state;
	size_t left = k->keys.count - k->after; /* keys after the cursor, in the requested order */
	struct param *a;

	if (j->job.err.code != ERR_OK)
		return WORK_DONE;
	if (!id_none(j->after) && !k->met) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after", "this list has no such item");
		return WORK_DONE;
	}
	if (!j->descending)
		left = k->met ? k->newer : k->keys.count;
	size_t n = left < j->limit ? left : j->limit;
	if (n > 0 && !cell_fits(&j->arena, n * sizeof *j->items))
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
	if (j->job.err.code != ERR_OK)
		return WORK_DONE;
	s->wanted = n;
	j->has_more = left > n;
	if (n == 0)
		return WORK_DONE;
	a = query_param(q);
	PARAM_EACH(a, PARAM_INT, i, n,
		   param_int(a, k->keys.at[j->descending ? k->after + i : left - 1 - i]));
	param_int(a, j->page_bytes > 0 ? (int64_t)j->page_bytes : (int64_t)j->arena.max);
	query_ask_either(q, &sql_items);
	return WORK_AGAIN;
}

/* items_put: false: the page is full. */
static bool items_read_put(struct items_read *j, struct row r)
{
	struct store_item *item = &j->items[j->item_count];
	struct err        *e = &j->job.err;
	size_t             bytes = cell_str(r, 4).n + cell_str(r, 5).n;
	int64_t            status = cell_null(r, 3) ? RUN_COMPLETED : cell_int(r, 3);

	if (j->item_count > 0 && j->page_bytes > 0 &&
	    (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes))
		return false;
	if (!cell_fits(&j->arena, bytes)) {
		if (j->item_count == 0)
			err_set(e, ERR_REQUEST_TOO_LARGE, "",
				"the item is larger than the %zu KiB that a list can contain",
				j->arena.max / KIB);
		return false;
	}
	if (!cell_keep(&j->arena, r, 4, &item->message.body, e) ||
	    !cell_keep(&j->arena, r, 5, &item->model, e) ||
	    !run_cell_status(status, &item->status, e))
		return false;
	item->message.id = cell_id(cell_int(r, 0), r, 1);
	item->created_ms = cell_int(r, 2);
	j->item_count++;
	return true;
}

static enum work_next items_page(struct query *q, struct items_read *j)
{
	const struct items_state *s = q->state;
	struct row                r;

	j->items = arena_alloc(&j->arena, s->wanted * sizeof *j->items);
	if (!j->items)
		cell_no_memory(&j->job.err);
	while (j->items && query_row(q, 0, &r))
		if (!items_read_put(j, r))
			break;
	if (j->item_count < s->wanted)
		j->has_more = true;
	return WORK_DONE;
}

static enum work_next read_items(struct query *q, struct items_read *j)
{
	struct walked  k = { 0 };
	enum work_next next = WORK_DONE;

	switch (q->stage) {
	case 0:
		j->items = NULL;
		j->item_count = 0;
		j->has_more = false;
		j->instruction = STR_NONE;
		items_ask(q, j);
		return WORK_AGAIN;
	case 1: return items_walk(q, j);
	case 2:
		items_keep_instruction(q, j);
		if (items_walked(q, j, &k))
			next = items_choose(q, j, &k);
		else
			cell_no_memory(&j->job.err);
		key_list_finish(&k.keys);
		return next;
	default: return items_page(q, j);
	}
}

SQL_OP(items_read, WORK_SNAPSHOT, read_items);
