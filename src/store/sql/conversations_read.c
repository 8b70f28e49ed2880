/* Lists of conversations: in the order of an index, so a page costs what is on it. */
#include "base/limits.h"
#include "store/sql/cells.h"
#include "store/sql/labels.h"

/* $1 the owner, $2 where the page begins, $3 how many; $4 and $5 a pair of the metadata, $6 to $8 all of them. */
/* clang-format off */
#define KEYS(E, origin, is, way)                                                                  \
	"SELECT id FROM (SELECT id FROM conversation " E##_INDEX("conversation_owner")            \
	"WHERE owner = $1 AND origin = " origin " AND id " is " $2 ORDER BY id " way              \
	" LIMIT $3) o" origin " "
/* Two stretches of one index, merged.  Each has an end of its own: PostgreSQL reads them whole otherwise. */
#define ALL(E, is, way)                                                                           \
	CONVERSATION_CELL_LINE "FROM (" KEYS(E, "0", is, way) "UNION ALL " KEYS(E, "1", is, way)  \
	"ORDER BY 1 " way " LIMIT $3) k " E##_JOIN "conversation c ON c.id = k.id "               \
	E##_ORDER("c.id " way)
#define ONE(E, is, way, index, key, where)                                                        \
	CONVERSATION_CELL_LINE "FROM conversation c " E##_INDEX(index) "WHERE c.owner = $1 AND "  \
	where " AND " key " " is " $2 ORDER BY " key " " way " LIMIT $3"
#define PROGRAM(E, is, way) ONE(E, is, way, "conversation_owner", "c.id", "c.origin = 0")
#define CONSOLE(E, is, way) ONE(E, is, way, "conversation_owner", "c.id", "c.origin = 1")
#define RECENT(E, is, way)  ONE(E, is, way, "conversation_recent", "c.recent", "c.recent IS NOT NULL")
#define PINNED(E, is, way)  ONE(E, is, way, "conversation_pinned", "c.id", "c.pinned = 1")
#define LABELLED(E, is, way)                                                                      \
	CONVERSATION_CELL_LINE "FROM conversation_label l " E##_JOIN "conversation c "            \
	"ON c.id = l.conversation WHERE l.owner = $1 AND l.key = $4 AND l.value = $5 AND "        \
	E##_LABEL_FILTER_HAS("$1", "$6", "$7", "$8", "l.conversation")                            \
	"AND l.conversation " is " $2 ORDER BY l.conversation " way " LIMIT $3"
#define EACH_LIST(is, way)                                                                        \
	{                                                                                         \
		[CONVERSATIONS_ALL] = SQL_EITHER_OF(ALL, is, way),                                \
		[CONVERSATIONS_PROGRAM] = SQL_EITHER_OF(PROGRAM, is, way),                        \
		[CONVERSATIONS_CONSOLE] = SQL_EITHER_OF(CONSOLE, is, way),                        \
		[CONVERSATIONS_RECENT] = SQL_EITHER_OF(RECENT, is, way),                          \
		[CONVERSATIONS_PINNED] = SQL_EITHER_OF(PINNED, is, way),                          \
		[CONVERSATIONS_OF__COUNT] = SQL_EITHER_OF(LABELLED, is, way),                     \
	}
/* clang-format on */

/* By whether they descend; the last ones are those with labels. */
static const struct sql sql_list[2][CONVERSATIONS_OF__COUNT + 1] = {
	EACH_LIST(">", ""),
	EACH_LIST("<", "DESC"),
};

static enum work_next conversations_begin(struct query *q, struct conversations_read *j)
{
	j->lines = NULL;
	j->line_count = 0;
	j->has_more = false;
	if (!id_none(j->after))
		conversation_cell_ask(q, j->after, j->owner);
	if (j->labels.key.p)
		label_filter_ask(q, j->owner, &j->labels);
	return WORK_AGAIN;
}

/* conversations_from: where the page begins; r: the row of the conversation before it. */
static int64_t conversations_from(const struct conversations_read *j, struct row r)
{
	int64_t tip = cell_int(r, CONVERSATION_CELL_TIP);
	int64_t leaf = cell_int(r, CONVERSATION_CELL_LEAF);

	if (j->of != CONVERSATIONS_RECENT)
		return j->after.key;
	return tip ? tip : leaf ? leaf : j->after.key;
}

static enum work_next conversations_ask(struct query *q, struct conversations_read *j)
{
	struct err   *e = &j->job.err;
	bool          labelled = j->labels.key.p != NULL;
	int64_t       from = j->descending ? INT64_MAX : 0;
	size_t        n = 0;
	struct row    r;
	struct param *a;

	if (!id_none(j->after) && query_row(q, n++, &r))
		from = conversations_from(j, r);
	else if (!id_none(j->after))
		err_set(e, ERR_INVALID_VALUE, "after",
			"must be the id of a conversation of this list");
	else if (j->limit > j->arena.max / sizeof *j->lines)
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
	if (e->code != ERR_OK || j->limit == 0 ||
	    (labelled && !label_filter_chosen(q, n, &j->labels, &j->arena, e)))
		return WORK_DONE;
	a = query_param(q);
	param_int(a, j->owner);
	param_int(a, from);
	param_int(a, (int64_t)j->limit + 1);
	if (labelled)
		label_filter_add(&j->labels, a);
	query_ask_either(q, &sql_list[j->descending][labelled ? CONVERSATIONS_OF__COUNT : j->of]);
	return WORK_AGAIN;
}

static enum work_next conversations_keep(struct query *q, struct conversations_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	j->lines = arena_alloc(&j->arena, j->limit * sizeof *j->lines);
	if (!j->lines)
		cell_no_memory(e);
	while (e->code == ERR_OK && query_row(q, 0, &r)) {
		size_t room = cell_str(r, 4).n + cell_str(r, 5).n;

		j->has_more = j->line_count == j->limit || !cell_fits(&j->arena, room + 2 * KIB);
		if (j->has_more)
			break;
		j->line_count += conversation_cell_line(r, &j->arena, &j->lines[j->line_count], e);
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
