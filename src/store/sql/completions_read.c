/* Lists of stored completions: in the order of an index, so a page costs what is on it. */
#include "store/sql/cells.h"
#include "store/sql/labels.h"

/* $1 the owner, $2 the conversation that the page begins after, $3 how many, $4 the model or NULL, $5 the most
 * bytes of the page; $6 and $7 a pair of the metadata, $8 to $10 all of them.  A completion and its conversation
 * are made together, so the order of the one is that of the other. */
/* clang-format off */
#define HAS(E, of)      E##_LABEL_FILTER_HAS("$1", "$8", "$9", "$10", of ".conversation")
#define WHERE(E)        COMPLETION_CELL_JOINS(E) "WHERE r.owner = $1 AND " COMPLETION_CELL_IS "AND "
#define PAGE(of, is, way) of ".conversation " is " $2 ORDER BY " of ".conversation" way " LIMIT $3"
#define LABEL           "l.owner = $1 AND l.key = $6 AND l.value = $7 AND "

/* One of the pairs is walked along; a run that has it and is no completion costs a look into an index.
 * Without the plus SQLite would look for all conversations from $2 on there. */
#define LITE(index, model, is, way)                                                               \
	COMPLETION_CELL "FROM run r INDEXED BY " index " " WHERE(SQLITE) model PAGE("r", is, way)
#define LITE_LABEL(index, model, is, way)                                                         \
	COMPLETION_CELL "FROM conversation_label l CROSS JOIN run r INDEXED BY " index            \
	" ON r.conversation = +l.conversation " WHERE(SQLITE) model LABEL HAS(SQLITE, "r") "AND "      \
	PAGE("l", is, way)

/* A server sends what was asked: rows as far as the page holds them, and one more, to say that there is more. */
#define PAGED(way, from)                                                                          \
	"SELECT * FROM (" COMPLETION_CELL ", coalesce(sum(octet_length(m.body)) OVER (ORDER BY "  \
	"r.conversation" way " ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS before "  \
	"FROM " from ") p WHERE p.before <= $5"
#define MODEL           "($4 IS NULL OR r.model = $4) AND "
#define FULL(is, way)   PAGED(way, "run r " WHERE(POSTGRES) MODEL PAGE("r", is, way))
#define FULL_LABEL(is, way)                                                                       \
	PAGED(way, "conversation_label l JOIN run r ON r.conversation = l.conversation "          \
	WHERE(POSTGRES) MODEL LABEL HAS(POSTGRES, "l") "AND " PAGE("l", is, way))

#define BOTH(index, model, is, way)                                                               \
	{ { LITE(index, model, is, way), FULL(is, way) },                                         \
	  { LITE_LABEL(index, model, is, way), FULL_LABEL(is, way) } }
#define BY_MODEL(is, way)                                                                         \
	{ BOTH("run_completion", "", is, way),                                                    \
	  BOTH("run_completion_model", "r.model = $4 AND ", is, way) }
/* clang-format on */

/* By whether they descend, are of one model, and have labels. */
static const struct sql sql_list[2][2][2] = { BY_MODEL(">", ""), BY_MODEL("<", " DESC") };
/* A deleted completion is still valid as a cursor. */
static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = $1 AND secret = $2 AND owner = $3 "
	"AND status = 2 AND (shape = '" SHAPE_OPENAI "' OR shape IS NULL)";

static enum work_next completions_ask(struct query *q, struct completions_read *j)
{
	int64_t    place = j->descending ? INT64_MAX : 0;
	bool       labelled = j->labels.key.p != NULL;
	size_t     n = 0;
	struct row r;

	if (!id_none(j->after)) {
		if (!query_row(q, n++, &r)) {
			err_set(&j->job.err, ERR_INVALID_VALUE, "after",
				"must be the id of a completion of this list");
			return WORK_DONE;
		}
		place = cell_int(r, 0);
	}
	if (labelled && !label_filter_chosen(q, n, &j->labels, &j->arena, &j->job.err))
		return WORK_DONE;
	struct param *a = query_param(q);
	param_int(a, j->owner);
	param_int(a, place);
	param_int(a, (int64_t)j->limit + 1);
	if (j->model.p)
		param_text(a, j->model);
	else
		param_null(a, PARAM_TEXT);
	param_int(a, (int64_t)j->page_bytes);
	if (labelled)
		label_filter_add(&j->labels, a);
	query_ask_either(q, &sql_list[j->descending][j->model.p != NULL][labelled]);
	return WORK_AGAIN;
}

/* The first one always fits, if the arena has room for it. */
static bool completions_goes_on(const struct completions_read *j, size_t bytes)
{
	if (j->completion_count == j->limit || !cell_fits(&j->arena, bytes))
		return false;
	return j->completion_count == 0 ||
	       (bytes <= j->page_bytes && j->arena.used <= j->page_bytes - bytes);
}

static enum work_next completions_keep(struct query *q, struct completions_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	j->completions = arena_alloc(&j->arena, (j->limit + 1) * sizeof *j->completions);
	if (!j->completions)
		cell_no_memory(e);
	while (e->code == ERR_OK && query_row(q, 0, &r)) {
		if (!completions_goes_on(j, completion_cell_bytes(r))) {
			j->has_more = true;
			if (j->completion_count == 0)
				completion_cell_too_large(e, &j->arena);
			return WORK_DONE;
		}
		j->completion_count +=
			completion_cell_keep(r, &j->arena, &j->completions[j->completion_count], e);
	}
	return WORK_DONE;
}

static enum work_next read_completions(struct query *q, struct completions_read *j)
{
	switch (q->stage) {
	case 0:
		j->completion_count = 0;
		j->has_more = false;
		if (!id_none(j->after)) {
			completion_cell_params(query_param(q), j->after, j->owner);
			query_ask(q, sql_place);
		}
		if (j->labels.key.p)
			label_filter_ask(q, j->owner, &j->labels);
		return WORK_AGAIN;
	case 1: return completions_ask(q, j);
	default: return completions_keep(q, j);
	}
}

SQL_OP(completions_read, WORK_SNAPSHOT, read_completions);
