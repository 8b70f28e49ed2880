/* Lists of conversations: in the order of an index, so a page costs what is on it. */
#include "store/sql/cells.h"
#include "store/sql/labels.h"

/* $1 the owner, $2 where the page begins, $3 how many; $4 and $5 a pair of the metadata, $6 to $8 all of them. */
/* clang-format off */
#define PLAIN(E, is, way)                                                                         \
	CONVERSATION_CELL "FROM conversation c " E##_INDEX("conversation_owner")                  \
	"WHERE c.owner = $1 AND c.id " is " $2 ORDER BY c.id " way " LIMIT $3"
#define LABELLED(E, is, way)                                                                      \
	CONVERSATION_CELL "FROM conversation_label l " E##_JOIN "conversation c "                 \
	"ON c.id = l.conversation WHERE l.owner = $1 AND l.key = $4 AND l.value = $5 AND "        \
	E##_LABEL_FILTER_HAS("$1", "$6", "$7", "$8", "l.conversation")                            \
	"AND l.conversation " is " $2 ORDER BY l.conversation " way " LIMIT $3"
/* clang-format on */

/* By whether they descend, and have labels. */
static const struct sql sql_list[2][2] = {
	{ SQL_EITHER_OF(PLAIN, ">", ""), SQL_EITHER_OF(LABELLED, ">", "") },
	{ SQL_EITHER_OF(PLAIN, "<", "DESC"), SQL_EITHER_OF(LABELLED, "<", "DESC") },
};

static enum work_next conversations_begin(struct query *q, struct conversations_read *j)
{
	j->conversations = NULL;
	j->conversation_count = 0;
	j->has_more = false;
	if (!id_none(j->after))
		conversation_cell_ask(q, j->after, j->owner);
	if (j->labels.key.p)
		label_filter_ask(q, j->owner, &j->labels);
	return WORK_AGAIN;
}

static enum work_next conversations_ask(struct query *q, struct conversations_read *j)
{
	struct err   *e = &j->job.err;
	bool          labelled = j->labels.key.p != NULL;
	size_t        n = 0;
	struct row    r;
	struct param *a;

	if (!id_none(j->after) && !query_row(q, n++, &r))
		err_set(e, ERR_INVALID_VALUE, "after",
			"must be the id of a conversation of this list");
	else if (j->limit > j->arena.max / sizeof *j->conversations)
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
	if (e->code != ERR_OK || j->limit == 0 ||
	    (labelled && !label_filter_chosen(q, n, &j->labels, &j->arena, e)))
		return WORK_DONE;
	a = query_param(q);
	param_int(a, j->owner);
	if (id_none(j->after))
		param_int(a, j->descending ? INT64_MAX : 0);
	else
		param_int(a, j->after.key);
	param_int(a, (int64_t)j->limit + 1);
	if (labelled)
		label_filter_add(&j->labels, a);
	query_ask_either(q, &sql_list[j->descending][labelled]);
	return WORK_AGAIN;
}

static enum work_next conversations_keep(struct query *q, struct conversations_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	j->conversations = arena_alloc(&j->arena, j->limit * sizeof *j->conversations);
	if (!j->conversations)
		cell_no_memory(e);
	while (e->code == ERR_OK && query_row(q, 0, &r)) {
		size_t room = cell_str(r, 4).n + cell_str(r, 5).n;

		j->has_more =
			j->conversation_count == j->limit || !cell_fits(&j->arena, room + 128);
		if (j->has_more)
			break;
		j->conversation_count += conversation_cell_keep(
			r, &j->arena, &j->conversations[j->conversation_count], e);
	}
	return WORK_DONE;
}

static enum work_next read_conversations(struct query *q, struct conversations_read *j)
{
	switch (q->stage) {
	case 0: return conversations_begin(q, j);
	case 1: return conversations_ask(q, j);
	default: return conversations_keep(q, j);
	}
}

SQL_OP(conversations_read, WORK_SNAPSHOT, read_conversations);
