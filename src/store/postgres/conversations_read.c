/* Lists of conversations: in the order of an index, so a page costs what is on it. */
#include "store/postgres/conversation_cell.h"
#include "store/postgres/label_filter.h"
#include "store/postgres/operation.h"

/* $1 the owner, $2 where the page begins, $3 how many; $4 and $5 a pair of the metadata, $6 and $7 all of
 * them. */
#define PLAIN CONVERSATION_CELL "FROM conversation c WHERE c.owner = $1 AND "
#define LABELLED                                                       \
	CONVERSATION_CELL                                              \
	"FROM conversation_label l JOIN conversation c ON "            \
	"c.id = l.conversation WHERE l.owner = $1 AND l.key = $4 AND " \
	"l.value = $5 AND " LABEL_FILTER_HAS("$1", "$6", "$7", "l.conversation") "AND "

static const char sql_asc[] = PLAIN "c.id > $2 ORDER BY c.id LIMIT $3";
static const char sql_desc[] = PLAIN "c.id < $2 ORDER BY c.id DESC LIMIT $3";
static const char sql_label_asc[] = LABELLED "l.conversation > $2 ORDER BY l.conversation LIMIT $3";
static const char sql_label_desc[] =
	LABELLED "l.conversation < $2 ORDER BY l.conversation DESC LIMIT $3";

static void conversations_read_list_ask(struct work *w, const struct conversations_read *j)
{
	struct param *a = work_param(w);
	bool          labelled = j->labels.key.p != NULL;

	param_int(a, j->owner);
	if (id_none(j->after))
		param_int(a, j->descending ? INT64_MAX : 0);
	else
		param_int(a, j->after.key);
	param_int(a, (int64_t)j->limit + 1);
	if (labelled) {
		param_text(a, j->labels.key);
		param_text(a, j->labels.value);
		label_filter_args(&j->labels, a);
		work_ask(w, j->descending ? sql_label_desc : sql_label_asc);
	} else {
		work_ask(w, j->descending ? sql_desc : sql_asc);
	}
	conversation_cell_ask(w, j->after, j->owner);
}

static void conversations_read_list_keep(const struct work *w, struct conversations_read *j)
{
	struct err *e = &j->job.err;

	if (j->limit > j->arena.max / sizeof *j->conversations) {
		err_set(e, ERR_REQUEST_TOO_LARGE, "limit", "the page is too large");
		return;
	}
	j->conversations = arena_alloc(&j->arena, j->limit * sizeof *j->conversations);
	if (!j->conversations)
		cell_no_memory(e);
	for (int i = 0; i < work_rows(w, 0) && e->code == ERR_OK; i++) {
		struct row r = work_row(w, 0, i);
		size_t     room = cell_str(r, 4).n + cell_str(r, 5).n;

		j->has_more =
			j->conversation_count == j->limit || !cell_fits(&j->arena, room + 128);
		if (j->has_more)
			return;
		j->conversation_count += conversation_cell_keep(
			r, &j->arena, &j->conversations[j->conversation_count], e);
	}
}

static enum work_next conversations_read_read_list(struct work *w, struct conversations_read *j)
{
	if (w->stage == 0) {
		j->conversations = NULL;
		j->conversation_count = 0;
		j->has_more = false;
		conversations_read_list_ask(w, j);
		return WORK_LAST;
	}
	if (!id_none(j->after) && work_rows(w, 1) == 0)
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a conversation of this list");
	else if (j->limit > 0)
		conversations_read_list_keep(w, j);
	return WORK_DONE;
}

OP(conversations_read, WORK_SNAPSHOT, conversations_read_read_list);
