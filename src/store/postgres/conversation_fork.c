/* Forks a conversation: walks from the message to the root, then copies from the root on. */
#include "base/limits.h"
#include "store/common/excerpt.h"
#include "store/postgres/conversation_change.h"
#include "store/sql/cells.h"

#include <stdlib.h>

static const char sql_has[] =
	"SELECT 1::bigint FROM message WHERE id = $1 AND secret = $2 AND conversation = $3 AND run >= 0";
/* From the end on, with one message more than a fork copies. */
static const char sql_walk[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.id, m.prev, m.run, "
	"octet_length(m.body)::bigint AS bytes FROM message m WHERE m.id = $1 "
	"UNION ALL SELECT w.step + 1, m.id, m.prev, m.run, w.bytes + octet_length(m.body) "
	"FROM w JOIN message m ON m.id = w.prev WHERE w.step <= $2 AND w.bytes <= $3) "
	"SELECT w.id, w.run, w.bytes, w.prev FROM w ORDER BY w.step";
/* The branch's newest instruction: of the nearest turn that has set one, or of the source. */
static const char sql_instruction[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.prev, "
	"CASE WHEN m.run < 0 THEN ~m.run ELSE m.run END AS run FROM message m WHERE m.id = $1 "
	"UNION ALL SELECT w.step + 1, m.prev, CASE WHEN m.run < 0 THEN ~m.run ELSE m.run END "
	"FROM w JOIN message m ON m.id = w.prev WHERE w.step <= $2) "
	"SELECT coalesce((SELECT r.instruction FROM w JOIN run r ON r.id = w.run "
	"WHERE r.instruction IS NOT NULL ORDER BY w.step LIMIT 1), "
	"(SELECT instruction FROM conversation WHERE id = $3))";
static const char sql_copy[] =
	"WITH added AS (INSERT INTO message (id, secret, owner, conversation, prev, run, created_ms, "
	"body) SELECT n.id, n.secret, $1, $2, n.prev, 0, m.created_ms, m.body FROM unnest($3::bigint[], "
	"$4::bigint[], $5::bigint[], $6::bigint[]) AS n(id, secret, prev, of) "
	"JOIN message m ON m.id = n.of RETURNING id) "
	"INSERT INTO search_queue (seq, kind, id) SELECT id, 2, id FROM added";

static const char sql_last[] = "SELECT body FROM message WHERE id = $1";

enum { FORK_HAS, FORK_WALK, FORK_INSTRUCTION, FORK_LAST };

/* fork_end: the newest message that is there: while a turn is answered, or when it was not, the last one that
 * it brought. */
static int64_t fork_end(const struct work *w, const struct conversation_write *j)
{
	struct row found = work_row(w, CHANGE_FOUND, 0);
	int64_t    tip = cell_int(found, CONVERSATION_CELL_TIP);
	int64_t    leaf = cell_int(found, CONVERSATION_CELL_LEAF);

	if (!id_none(j->message))
		return j->message.key;
	if (tip != 0 || leaf == 0 || work_rows(w, CHANGE_TURN) == 0)
		return tip;
	struct row turn = work_row(w, CHANGE_TURN, 0);
	return cell_int(turn, 3) ? leaf : cell_int(turn, 2);
}

static enum work_next fork_walk(struct work *w, const struct conversation_write *j)
{
	int64_t       end = fork_end(w, j);
	struct param *a = work_param(w);

	param_int(a, j->message.key);
	param_secret(a, j->message.secret);
	param_int(a, j->source.key);
	work_ask(w, sql_has);
	a = work_param(w);
	param_int(a, end);
	param_int(a, LIMIT_FORK);
	param_int(a, LIMIT_BRANCH_BYTES);
	work_ask(w, sql_walk);
	a = work_param(w);
	param_int(a, end);
	param_int(a, LIMIT_FORK);
	param_int(a, j->source.key);
	work_ask(w, sql_instruction);
	a = work_param(w);
	param_int(a, end);
	work_ask(w, sql_last);
	return WORK_AGAIN;
}

static bool fork_check(const struct work *w, struct conversation_write *j)
{
	struct err *e = &j->job.err;
	int         rows = work_rows(w, FORK_WALK);
	struct row  end = work_row(w, FORK_WALK, rows - 1);

	if (!id_none(j->message) && work_rows(w, FORK_HAS) == 0)
		err_set(e, ERR_NOT_FOUND, "at", "this conversation has no such message");
	else if (rows > LIMIT_FORK || (rows > 0 && cell_int(end, 2) > LIMIT_BRANCH_BYTES))
		err_set(e, ERR_REQUEST_TOO_LARGE, "at",
			"a fork copies at most %d messages and %u MiB; fork at an earlier message",
			LIMIT_FORK, LIMIT_BRANCH_BYTES / MIB);
	return e->code == ERR_OK;
}

struct copy {
	struct id to;
	int64_t   prev;
	int64_t   of;
};

/* fork_copies: the messages from the root on. */
static struct copy *fork_copies(const struct work *w, size_t *ret_count)
{
	int          rows = work_rows(w, FORK_WALK);
	struct copy *all = calloc((size_t)rows + 1, sizeof *all);
	size_t       n = 0;

	for (int i = rows - 1; all && i >= 0; i--) {
		struct row r = work_row(w, FORK_WALK, i);

		if (cell_int(r, 1) < 0) /* its content was removed */
			continue;
		all[n] = (struct copy){ id_new(), n > 0 ? all[n - 1].to.key : 0, cell_int(r, 0) };
		n++;
	}
	*ret_count = n;
	return all;
}

static enum work_next fork_copy(struct work *w, struct conversation_write *j)
{
	size_t         n = 0;
	struct copy   *all;
	struct excerpt last;
	struct param  *a;

	if (!fork_check(w, j))
		return WORK_DONE;
	all = fork_copies(w, &n);
	if (!all) {
		cell_no_memory(&j->job.err);
		return WORK_DONE;
	}
	excerpt_read(&last, work_rows(w, FORK_LAST) > 0 ? cell_str(work_row(w, FORK_LAST, 0), 0)
							: STR_NONE);
	/* An empty instruction has ended those before it. */
	conversation_put(w, j, change_cell_forked(j),
			 &(struct conversation_rest){
				 .tip = n > 0 ? all[n - 1].to.key : 0,
				 .instruction = cell_str(work_row(w, FORK_INSTRUCTION, 0), 0),
				 .excerpt = excerpt_text(&last),
				 .messages = n,
			 });
	if (n > 0) {
		a = work_param(w);
		param_int(a, j->owner);
		param_int(a, j->conversation.key);
		PARAM_EACH(a, PARAM_INT, i, n, param_int(a, all[i].to.key));
		PARAM_EACH(a, PARAM_INT, i, n, param_secret(a, all[i].to.secret));
		PARAM_EACH(a, PARAM_INT, i, n, param_int(a, all[i].prev));
		PARAM_EACH(a, PARAM_INT, i, n, param_int(a, all[i].of));
		work_ask(w, sql_copy);
	}
	free(all);
	return conversation_made(w, j);
}

enum work_next conversation_fork(struct work *w, struct conversation_write *j, unsigned stage)
{
	switch (stage) {
	case 1: return fork_walk(w, j);
	case 2: return fork_copy(w, j);
	default: return WORK_DONE;
	}
}
