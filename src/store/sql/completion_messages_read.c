/* Reads the messages of a completion's request: the chain from the last to the first. */
#include "base/limits.h"
#include "store/sql/cells.h"
#include "store/sql/cell.h"

static const char sql_find[] =
	"SELECT CAST(CAST(r.parent <> 0 AND r.parent <> r.base AS int) AS bigint) FROM run r "
	"JOIN message m ON m.id = r.id AND m.run = r.id WHERE r.id = $1 AND r.secret = $2 "
	"AND r.owner = $3 AND " COMPLETION_CELL_IS;
/* Keys, last first, and whether another one must follow; a message whose content was removed keeps its place. */
#define WALK(E)                                                                                                    \
	"WITH RECURSIVE w AS (SELECT CAST(1 AS bigint) AS step, m.id, m.prev, m.run, r.base "                      \
	"FROM run r " E##_JOIN                                                                                     \
		"message m ON m.id = r.parent WHERE r.id = $1 "                                                    \
		"AND r.parent <> r.base UNION ALL SELECT w.step + 1, m.id, m.prev, m.run, w.base FROM w " E##_JOIN \
		"message m ON m.id = w.prev WHERE m.id <> w.base AND w.step < $2) "                                \
		"SELECT id, run, CAST(CAST(prev <> 0 AND prev <> base AS int) AS bigint) FROM w " E##_ORDER(       \
			"step")
/* A server sends the bodies of a page as far as they fit; the first one always does. */
static const struct sql sql_walk = SQL_EITHER(WALK);
static const struct sql sql_bodies = {
	"SELECT k.key, m.body FROM json_each($1) k CROSS JOIN message m ON m.id = k.value",
	"SELECT p.at - 1, p.body FROM (SELECT k.at, m.body, coalesce(sum(octet_length(m.body)) OVER "
	"(ORDER BY k.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before "
	"FROM unnest($1::bigint[]) WITH ORDINALITY AS k(id, at) JOIN message m ON m.id = k.id) p "
	"WHERE p.before <= $2 ORDER BY p.at",
};

struct messages_state {
	size_t  count; /* number of bodies that are asked for */
	bool    more;
	int64_t places[];
};

/* messages_choose: the keys of the page, in its order; their places are in the state.  False: no memory. */
static bool messages_choose(struct query *q, const struct completion_messages_read *j,
			    const struct key_list *chain, struct key_list *page)
{
	int64_t                end = (int64_t)chain->count;
	int64_t                step = j->descending ? -1 : 1;
	int64_t                place = j->after + step;
	size_t                 most = j->limit < chain->count ? j->limit : chain->count;
	struct messages_state *s = query_state(q, sizeof *s + most * sizeof s->places[0], NULL);

	if (j->after < 0)
		place = j->descending ? end - 1 : 0;
	for (; s && place >= 0 && place < end; place += step) {
		int64_t key = chain->at[end - 1 - place];

		if (key == 0)
			continue;
		s->more = page->count == j->limit;
		if (s->more)
			break;
		if (!key_list_add(page, key))
			return false;
		s->places[s->count++] = place;
	}
	return s != NULL;
}

static void messages_ask(struct query *q, const struct completion_messages_read *j,
			 const struct key_list *page)
{
	struct param *a = query_param(q);

	PARAM_EACH(a, PARAM_INT, i, page->count, param_int(a, page->at[i]));
	param_int(a, (int64_t)j->page_bytes);
	query_ask_either(q, &sql_bodies);
}

static void messages_walk(struct query *q, struct completion_messages_read *j)
{
	struct key_list chain = { 0 };
	struct key_list page = { 0 };
	struct row      r;
	bool            ok = true;

	if (!query_row(q, 0, &r)) {
		completion_cell_missing(&j->job.err);
		return;
	}
	bool more = cell_int(r, 0);
	while (ok && query_row(q, 1, &r)) {
		ok = key_list_add(&chain, cell_int(r, 1) >= 0 ? cell_int(r, 0) : 0);
		more = cell_int(r, 2);
	}
	if (ok && more)
		cell_damaged(&j->job.err);
	else if (ok && j->after >= (int64_t)chain.count)
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a message of this list");
	else if (!ok || !messages_choose(q, j, &chain, &page))
		cell_no_memory(&j->job.err);
	else
		messages_ask(q, j, &page);
	key_list_finish(&chain);
	key_list_finish(&page);
}

/* messages_put: false: the page has no room for the message. */
static bool messages_put(struct completion_messages_read *j, int64_t place, struct row r)
{
	size_t bytes = cell_str(r, 1).n + 64;

	if (!cell_fits(&j->arena, bytes) ||
	    (j->message_count > 0 &&
	     (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes))) {
		if (j->message_count == 0)
			err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
				"the message is larger than the %zu KiB that a list can contain",
				j->arena.max / KIB);
		return false;
	}
	j->messages[j->message_count].place = place;
	j->message_count +=
		cell_keep(&j->arena, r, 1, &j->messages[j->message_count].body, &j->job.err);
	return true;
}

static void messages_keep(struct query *q, struct completion_messages_read *j)
{
	const struct messages_state *s = q->state;
	struct row                   r;

	j->messages = arena_alloc(&j->arena, (s->count + 1) * sizeof *j->messages);
	if (!j->messages)
		cell_no_memory(&j->job.err);
	while (j->job.err.code == ERR_OK && query_row(q, 0, &r))
		if (!messages_put(j, s->places[cell_int(r, 0)], r))
			break;
	j->has_more = s->more || j->message_count < s->count;
}

static enum work_next read_messages(struct query *q, struct completion_messages_read *j)
{
	switch (q->stage) {
	case 0: {
		struct param *a = query_param(q);

		j->message_count = 0;
		j->has_more = false;
		completion_cell_params(a, j->run, j->owner);
		query_ask(q, sql_find);
		a = query_param(q);
		param_int(a, j->run.key);
		param_int(a, LIMIT_BRANCH_LENGTH);
		query_ask_either(q, &sql_walk);
		return WORK_AGAIN;
	}
	case 1: messages_walk(q, j); return j->job.err.code == ERR_OK ? WORK_AGAIN : WORK_DONE;
	default: messages_keep(q, j); return WORK_DONE;
	}
}

SQL_OP(completion_messages_read, WORK_SNAPSHOT, read_messages);
