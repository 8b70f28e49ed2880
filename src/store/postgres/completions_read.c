/* Lists of stored completions: in the order of an index, so a page costs what is on it. */
#include "store/postgres/completion_cell.h"
#include "store/postgres/label_filter.h"
#include "store/postgres/operation.h"

/* $1 the owner, $2 the conversation that the page begins behind, $3 how many, $4 the model or NULL, $5 the most
 * bytes of the page; $6 and $7 a pair of the metadata, $8 and $9 all of them.  A completion and its conversation
 * are made together, so the order of the one is that of the other.  One row more than the page holds comes, to
 * say that there is more. */
#define PAGE_BEGIN                                                                               \
	"SELECT * FROM (" COMPLETION_CELL ", coalesce(sum(octet_length(m.body)) OVER (ORDER BY " \
	"r.conversation"
#define PAGE_ROWS " ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING), 0) AS before FROM "
#define PAGE_WHERE                                                         \
	COMPLETION_CELL_JOINS "WHERE r.owner = $1 AND " COMPLETION_CELL_IS \
			      "AND ($4::text IS NULL OR r.model = $4) AND "
#define PLAIN(is, way)                                                           \
	PAGE_BEGIN way PAGE_ROWS "run r " PAGE_WHERE "r.conversation " is " $2 " \
				 "ORDER BY r.conversation" way " LIMIT $3) p WHERE p.before <= $5"
#define LABELLED(is, way)                                                                        \
	PAGE_BEGIN way PAGE_ROWS                                                                 \
		"conversation_label l JOIN run r ON r.conversation = l.conversation " PAGE_WHERE \
		"l.owner = $1 AND l.key = $6 AND l.value = $7 AND " LABEL_FILTER_HAS(            \
			"$1", "$8", "$9", "l.conversation") "AND l.conversation " is             \
							    " $2 ORDER BY l.conversation" way    \
							    " LIMIT $3) p WHERE p.before <= $5"

/* A deleted completion is still valid as a cursor. */
static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = $1 AND secret = $2 AND owner = $3 "
	"AND status = 2 AND (shape = '" SHAPE_OPENAI "' OR shape IS NULL)";
static const char sql_up[] = PLAIN(">", "");
static const char sql_down[] = PLAIN("<", " DESC");
static const char sql_label_up[] = LABELLED(">", "");
static const char sql_label_down[] = LABELLED("<", " DESC");

static void list_place(struct work *w, const struct completions_read *j)
{
	struct param *a = work_param(w);

	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	param_int(a, j->owner);
	work_ask(w, sql_place);
}

static enum work_next list_ask(struct work *w, struct completions_read *j)
{
	int64_t       place = j->descending ? INT64_MAX : 0;
	struct param *a;

	if (!id_none(j->after) && work_rows(w, 0) == 0) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a completion of this list");
		return WORK_DONE;
	}
	if (!id_none(j->after))
		place = cell_int(work_row(w, 0, 0), 0);
	a = work_param(w);
	param_int(a, j->owner);
	param_int(a, place);
	param_int(a, (int64_t)j->limit + 1);
	if (j->model.p)
		param_text(a, j->model);
	else
		param_null(a, PARAM_TEXT);
	param_int(a, (int64_t)j->page_bytes);
	if (j->labels.key.p) {
		param_text(a, j->labels.key);
		param_text(a, j->labels.value);
		label_filter_args(&j->labels, a);
		work_ask(w, j->descending ? sql_label_down : sql_label_up);
	} else {
		work_ask(w, j->descending ? sql_down : sql_up);
	}
	return WORK_AGAIN;
}

/* The first one always fits, if the arena has room for it. */
static bool list_goes_on(const struct completions_read *j, size_t bytes)
{
	if (j->completion_count == j->limit || !cell_fits(&j->arena, bytes))
		return false;
	return j->completion_count == 0 ||
	       (bytes <= j->page_bytes && j->arena.used <= j->page_bytes - bytes);
}

static enum work_next list_keep(const struct work *w, struct completions_read *j)
{
	struct err *e = &j->job.err;
	int         rows = work_rows(w, 0);

	j->completions = arena_alloc(&j->arena, (j->limit + 1) * sizeof *j->completions);
	if (!j->completions)
		cell_no_memory(e);
	for (int i = 0; e->code == ERR_OK && i < rows; i++) {
		struct row r = work_row(w, 0, i);

		if (!list_goes_on(j, completion_cell_bytes(r))) {
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

static enum work_next read_list(struct work *w, struct completions_read *j)
{
	switch (w->stage) {
	case 0:
		j->completion_count = 0;
		j->has_more = false;
		list_place(w, j);
		return WORK_AGAIN;
	case 1: return list_ask(w, j);
	default: return list_keep(w, j);
	}
}

OP(completions_read, WORK_SNAPSHOT, read_list);
