/* Reads a branch of a conversation, from its root to the message before the turn. */
#include "base/limits.h"
#include "store/conversation.h"
#include "store/postgres/operation.h"
#include "store/sql/cells.h"

/* Stage 0: the conversation, its newest turn, and whether it has the message to read back from. */
static const char sql_conversation[] =
	"SELECT c.leaf, c.tip, c.instruction, r.secret, r.status, r.base, "
	"EXISTS (SELECT 1 FROM message a WHERE a.id = c.leaf)::int::bigint, "
	"EXISTS (SELECT 1 FROM message m WHERE m.id = $4 AND m.secret = $5 AND m.owner = $3 "
	"AND m.conversation = c.id AND m.run >= 0)::int::bigint, c.target, EXISTS (SELECT 1 FROM "
	"budget b WHERE b.key = 'conv:' || c.id AND b.limit_nano IS NOT NULL)::int::bigint "
	"FROM conversation c LEFT JOIN run r ON r.id = c.leaf "
	"WHERE c.id = $1 AND c.secret = $2 AND c.owner = $3";
/* From the leaf on.  A removed message has no body; its run's settings count nevertheless.  The walk ends
 * where it has more bytes than a turn can send. */
static const char sql_walk[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.id, m.secret, m.prev, m.run, m.body, "
	"octet_length(m.body)::bigint AS bytes FROM message m WHERE m.id = $1 "
	"UNION ALL SELECT w.step + 1, m.id, m.secret, m.prev, m.run, m.body, "
	"w.bytes + octet_length(m.body) FROM w JOIN message m ON m.id = w.prev "
	"WHERE w.bytes <= $2 AND w.step < $3) "
	"SELECT w.id, w.secret, w.run, w.body, w.bytes, w.prev FROM w ORDER BY w.step";
/* The newest instruction that a run of the branch has set. */
static const char sql_instruction[] =
	"WITH RECURSIVE w AS (SELECT 1::bigint AS step, m.prev, "
	"CASE WHEN m.run < 0 THEN ~m.run ELSE m.run END AS run FROM message m WHERE m.id = $1 "
	"UNION ALL SELECT w.step + 1, m.prev, CASE WHEN m.run < 0 THEN ~m.run ELSE m.run END "
	"FROM w JOIN message m ON m.id = w.prev WHERE w.step < $2 AND NOT EXISTS "
	"(SELECT 1 FROM run r WHERE r.id = w.run AND r.instruction IS NOT NULL)) "
	"SELECT r.instruction FROM w JOIN run r ON r.id = w.run WHERE r.instruction IS NOT NULL "
	"ORDER BY w.step LIMIT 1";

static void branch_ask_run(struct work *w, const struct branch_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->run.key);
	param_secret(a, j->run.secret);
	param_int(a, j->owner);
	param_text(a, j->shape);
	work_ask(w, branch_cell_run.postgres);
}

static void branch_ask_conversation(struct work *w, const struct branch_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->conversation.key);
	param_secret(a, j->conversation.secret);
	param_int(a, j->owner);
	param_int(a, j->from.key);
	param_secret(a, j->from.secret);
	work_ask(w, sql_conversation);
}

/* branch_end: the message to read back from; 0: none. */
static int64_t branch_end(struct branch_read *j, struct row r)
{
	struct id leaf = cell_id(cell_int(r, 0), r, 3);
	int64_t   tip = cell_int(r, 1);

	if (j->root)
		return 0;
	if (!id_none(j->from)) {
		if (!cell_int(r, 7))
			err_set(&j->job.err, ERR_NOT_FOUND, "parent",
				"this conversation has no such message");
		return j->from.key;
	}
	j->expected_leaf = tip ? (struct id){ .key = tip } : leaf;
	j->live = leaf.key != 0 && cell_int(r, 4) <= RUN_RUNNING;
	if (j->live)
		return 0;
	if (tip != 0)
		return tip;
	/* A turn without an answer is not continued. The next turn follows the message before it,
	 * which was chosen in the same way. */
	return cell_int(r, 6) ? leaf.key : cell_int(r, 5);
}

static void branch_keep_instruction(struct branch_read *j, struct row r, int column)
{
	j->instruction_set = cell_keep(&j->arena, r, column, &j->instruction, &j->job.err);
}

static enum work_next branch_begin(struct work *w, struct branch_read *j)
{
	struct row r = work_row(w, 0, 0);

	if (work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_NOT_FOUND, "conversation",
			"there is no such conversation");
		return WORK_DONE;
	}
	int64_t end = branch_end(j, r);
	if (j->job.err.code != ERR_OK || j->live)
		return WORK_DONE;
	j->target = cell_int(r, 8);
	j->capped = cell_int(r, 9) != 0;
	/* Where no turn has set one, that of the fork's source applies. */
	if (!cell_null(r, 2))
		branch_keep_instruction(j, r, 2);
	if (end == 0 || j->job.err.code != ERR_OK)
		return WORK_DONE;

	struct param *a = work_param(w);
	param_int(a, end);
	param_int(a, LIMIT_BRANCH_BYTES);
	param_int(a, LIMIT_BRANCH_LENGTH);
	work_ask(w, sql_walk);
	a = work_param(w);
	param_int(a, end);
	param_int(a, LIMIT_BRANCH_LENGTH);
	work_ask(w, sql_instruction);
	return WORK_AGAIN;
}

static void branch_keep(struct work *w, struct branch_read *j)
{
	int    rows = work_rows(w, 0);
	size_t count = 0;
	size_t n = 0;

	for (int i = 0; i < rows; i++)
		count += cell_int(work_row(w, 0, i), 2) >= 0;
	if (rows > 0 && cell_int(work_row(w, 0, rows - 1), 4) > LIMIT_BRANCH_BYTES)
		branch_cell_too_long(j);
	else if (rows == 0 || cell_int(work_row(w, 0, rows - 1), 5) != 0)
		cell_damaged(&j->job.err); /* a message to which another one refers must exist */
	else if (!cell_fits(&j->arena, count * sizeof *j->messages))
		branch_cell_too_long(j);
	if (j->job.err.code != ERR_OK || count == 0)
		return;
	j->messages = arena_alloc(&j->arena, count * sizeof *j->messages);
	if (!j->messages)
		cell_no_memory(&j->job.err);
	for (int i = rows - 1; i >= 0 && j->job.err.code == ERR_OK; i--) {
		struct row r = work_row(w, 0, i);

		if (cell_int(r, 2) < 0)
			continue;
		if (!cell_fits(&j->arena, cell_str(r, 3).n))
			branch_cell_too_long(j);
		else if (cell_keep(&j->arena, r, 3, &j->messages[n].body, &j->job.err))
			j->messages[n++].id = cell_id(cell_int(r, 0), r, 1);
	}
	j->message_count = n;
	if (j->job.err.code == ERR_OK)
		j->leaf = j->messages[n - 1].id;
}

static enum work_next branch_read_read_branch(struct work *w, struct branch_read *j)
{
	unsigned stage = id_none(j->run) ? w->stage + 1 : w->stage;

	switch (stage) {
	case 0: branch_ask_run(w, j); return WORK_AGAIN;
	case 1:
		j->leaf = j->expected_leaf = (struct id){ 0 };
		j->live = j->instruction_set = false;
		j->instruction = STR_NONE;
		j->messages = NULL;
		j->message_count = 0;
		if (!id_none(j->run)) {
			struct row r = work_row(w, 0, 0);

			branch_cell_take(work_rows(w, 0) > 0 ? &r : NULL, j);
		}
		if (j->job.err.code != ERR_OK)
			return WORK_DONE;
		branch_ask_conversation(w, j);
		return WORK_AGAIN;
	case 2: return branch_begin(w, j);
	default: break;
	}
	branch_keep(w, j);
	if (j->job.err.code == ERR_OK && work_rows(w, 1) > 0)
		branch_keep_instruction(j, work_row(w, 1, 0), 0);
	return WORK_DONE;
}

OP(branch_read, WORK_SNAPSHOT, branch_read_read_branch);
