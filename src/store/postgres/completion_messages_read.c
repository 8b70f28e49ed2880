/* Reads the messages of a completion's request: the chain from the last to the first. */
#include "base/limits.h"
#include "store/postgres/completion_cell.h"
#include "store/postgres/operation.h"

static const char sql_find[] =
	"SELECT r.parent, r.base FROM run r " COMPLETION_CELL_JOINS
	"WHERE r.id = $1 AND r.secret = $2 AND r.owner = $3 AND " COMPLETION_CELL_IS;
/* Places count from the first message on.  Of a page, the bodies come as far as they fit; the first always
 * does. */
static const char sql_page[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.id, m.prev, m.run FROM message m "
	"WHERE m.id = $1 AND m.id <> $2 UNION ALL SELECT w.step + 1, m.id, m.prev, m.run FROM w "
	"JOIN message m ON m.id = w.prev WHERE m.id <> $2 AND w.step < $3), "
	"n AS (SELECT count(*) AS all FROM w), "
	"p AS (SELECT n.all - w.step AS place, w.id FROM w, n WHERE w.run >= 0 AND CASE WHEN $4 < 0 "
	"THEN true WHEN $5 = 1 THEN n.all - w.step < $4 ELSE n.all - w.step > $4 END "
	"ORDER BY CASE WHEN $5 = 1 THEN w.step ELSE -w.step END LIMIT $6) "
	"SELECT p.place, m.body FROM p JOIN message m ON m.id = p.id "
	"ORDER BY CASE WHEN $5 = 1 THEN -p.place ELSE p.place END";
static const char sql_count[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.id, m.prev FROM message m "
	"WHERE m.id = $1 AND m.id <> $2 UNION ALL SELECT w.step + 1, m.id, m.prev FROM w "
	"JOIN message m ON m.id = w.prev WHERE m.id <> $2 AND w.step < $3) SELECT count(*) FROM w";

static void messages_find(struct work *w, const struct completion_messages_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->run.key);
	param_secret(a, j->run.secret);
	param_int(a, j->owner);
	work_ask(w, sql_find);
}

static enum work_next messages_ask(struct work *w, struct completion_messages_read *j)
{
	struct param *a;

	if (!completion_cell_found(w, &j->job.err))
		return WORK_DONE;
	int64_t parent = cell_int(work_row(w, 0, 0), 0);
	int64_t base = cell_int(work_row(w, 0, 0), 1);
	a = work_param(w);
	param_int(a, parent);
	param_int(a, base);
	param_int(a, LIMIT_BRANCH_LENGTH);
	param_int(a, j->after);
	param_int(a, j->descending);
	param_int(a, (int64_t)j->limit + 1);
	work_ask(w, sql_page);
	a = work_param(w);
	param_int(a, parent);
	param_int(a, base);
	param_int(a, LIMIT_BRANCH_LENGTH);
	work_ask(w, sql_count);
	return WORK_AGAIN;
}

/* messages_put: false: the page has no room for the message. */
static bool messages_put(struct completion_messages_read *j, struct row r)
{
	size_t bytes = cell_str(r, 1).n + 64;
	bool   full = j->message_count == j->limit || !cell_fits(&j->arena, bytes) ||
		    (j->message_count > 0 &&
		     (bytes > j->page_bytes || j->arena.used > j->page_bytes - bytes));

	if (full && j->message_count == 0 && j->limit > 0)
		err_set(&j->job.err, ERR_REQUEST_TOO_LARGE, "",
			"the message is larger than the %zu KiB that a list can contain",
			j->arena.max / KIB);
	if (full)
		return false;
	j->messages[j->message_count].place = cell_int(r, 0);
	j->message_count +=
		cell_keep(&j->arena, r, 1, &j->messages[j->message_count].body, &j->job.err);
	return true;
}

static enum work_next messages_page(struct work *w, struct completion_messages_read *j)
{
	if (j->after >= cell_int(work_row(w, 1, 0), 0)) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a message of this list");
		return WORK_DONE;
	}
	j->messages = arena_alloc(&j->arena, (j->limit + 1) * sizeof *j->messages);
	if (!j->messages)
		cell_no_memory(&j->job.err);
	for (int i = 0; j->job.err.code == ERR_OK && !j->has_more && i < work_rows(w, 0); i++)
		j->has_more = !messages_put(j, work_row(w, 0, i));
	return WORK_DONE;
}

static enum work_next read_messages(struct work *w, struct completion_messages_read *j)
{
	switch (w->stage) {
	case 0:
		j->message_count = 0;
		j->has_more = false;
		messages_find(w, j);
		return WORK_AGAIN;
	case 1: return messages_ask(w, j);
	default: return messages_page(w, j);
	}
}

OP(completion_messages_read, WORK_SNAPSHOT, read_messages);
