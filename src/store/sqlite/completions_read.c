/* Lists of stored completions: in the order of an index, so a page costs what is on it. */
#include "store/sqlite/completion_row.h"
#include "store/completion.h"
#include "store/sqlite/label_row.h"
#include "store/sqlite/op.h"

/* ?1 the owner, ?2 the conversation that the page begins behind, ?3 how many, ?4 the model; ?5, ?6 a
 * pair of the metadata, ?7 all of them.  A completion and its conversation are made together, so the
 * order of the one is that of the other. */
#define WHERE COMPLETION_ROW_JOINS "WHERE r.owner = ?1 AND " COMPLETION_ROW_IS "AND "
#define ALL   COMPLETION_ROW "FROM run r INDEXED BY run_completion " WHERE
#define MODEL COMPLETION_ROW "FROM run r INDEXED BY run_completion_model " WHERE "r.model = ?4 AND "
/* Of the pairs, one is walked along; what has it and is no completion costs a look into an index.
 * Without the plus SQLite would look for all conversations from ?2 on there. */
/* clang-format off */
#define LABEL(index, model)                                                                        \
	COMPLETION_ROW "FROM conversation_label l CROSS JOIN run r INDEXED BY " index              \
	" ON r.conversation = +l.conversation " WHERE model                                        \
	"l.owner = ?1 AND l.key = ?5 AND l.value = ?6 AND "                                        \
	LABEL_ROW_HAS("?1", "?7", "r.conversation") "AND "
#define LABEL_ALL   LABEL("run_completion", "")
#define LABEL_MODEL LABEL("run_completion_model", "r.model = ?4 AND ")
#define UP          "r.conversation > ?2 ORDER BY r.conversation LIMIT ?3"
#define DOWN        "r.conversation < ?2 ORDER BY r.conversation DESC LIMIT ?3"
#define LABEL_UP    "l.conversation > ?2 ORDER BY l.conversation LIMIT ?3"
#define LABEL_DOWN  "l.conversation < ?2 ORDER BY l.conversation DESC LIMIT ?3"
/* clang-format on */

/* A deleted completion is still valid as a cursor. */
static const char sql_place[] =
	"SELECT conversation FROM run WHERE id = ? AND secret = ? AND owner = ? "
	"AND status = 2 AND (shape = '" SHAPE_OPENAI "' OR shape IS NULL)";
static const char sql_all[] = ALL UP;
static const char sql_all_desc[] = ALL DOWN;
static const char sql_model[] = MODEL UP;
static const char sql_model_desc[] = MODEL DOWN;
static const char sql_label[] = LABEL_ALL LABEL_UP;
static const char sql_label_desc[] = LABEL_ALL LABEL_DOWN;
static const char sql_label_model[] = LABEL_MODEL LABEL_UP;
static const char sql_label_model_desc[] = LABEL_MODEL LABEL_DOWN;

/* The conversation before the page. */
static int completions_read_find_place(struct session *s, struct completions_read *j, int64_t *ret)
{
	*ret = j->descending ? INT64_MAX : 0;
	if (id_none(j->after))
		return SQLITE_OK;

	struct db_bind b = conn_bind(s->conn, sql_place);
	db_bind_int(&b, j->after.key);
	db_bind_secret(&b, j->after.secret);
	db_bind_int(&b, j->owner);
	int rc = db_bind_row(&b);
	if (rc == SQLITE_DONE) {
		err_set(&j->job.err, ERR_INVALID_VALUE, "after",
			"must be the id of a completion of this list");
		return SQLITE_OK;
	}
	if (rc != SQLITE_ROW)
		return rc;
	*ret = db_int(b.st, 0);
	return SQLITE_OK;
}

static const char *completions_read_which_list(const struct completions_read *j)
{
	if (j->labels.key.p && j->model.p)
		return j->descending ? sql_label_model_desc : sql_label_model;
	if (j->labels.key.p)
		return j->descending ? sql_label_desc : sql_label;
	if (j->model.p)
		return j->descending ? sql_model_desc : sql_model;
	return j->descending ? sql_all_desc : sql_all;
}

static void completions_read_bind_page(const struct completions_read *j, int64_t place,
				       struct db_bind *b)
{
	db_bind_int(b, j->owner);
	db_bind_int(b, place);
	db_bind_int(b, (int64_t)j->limit + 1);
	if (j->model.p)
		db_bind_text(b, j->model);
	else if (j->labels.key.p)
		db_bind_null(b); /* the pair has a number, but no conversation has the pair */
	if (j->labels.key.p) {
		db_bind_text(b, j->labels.key);
		db_bind_text(b, j->labels.value);
		db_bind_text(b, j->labels.filter);
	}
}

/* True if the page has room for one more. The first one always fits, if the arena has room for
 * it. */
static bool completions_read_goes_on(const struct completions_read *j, size_t bytes)
{
	if (j->completion_count == j->limit || !row_fits(&j->arena, bytes))
		return false;
	return j->completion_count == 0 ||
	       (bytes <= j->page_bytes && j->arena.used <= j->page_bytes - bytes);
}

static int completions_read_rows(struct completions_read *j, struct db_bind *b)
{
	sqlite3_stmt *st = b->st;
	struct err   *e = &j->job.err;
	int           rc = db_bind_row(b);

	for (; rc == SQLITE_ROW; rc = db_row(st)) {
		if (!completions_read_goes_on(j, completion_row_bytes(st))) {
			j->has_more = true;
			return j->completion_count > 0 ? SQLITE_OK
						       : completion_row_too_large(e, &j->arena);
		}
		if (!completion_row_keep(st, &j->arena, &j->completions[j->completion_count], e))
			return SQLITE_OK;
		j->completion_count++;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int completions_read_page(struct session *s, struct completions_read *j)
{
	struct err *e = &j->job.err;
	int64_t     place = 0;

	j->completion_count = 0;
	j->has_more = false;
	j->completions = arena_alloc(&j->arena, (j->limit + 1) * sizeof *j->completions);
	if (!j->completions) {
		row_no_memory(e);
		return SQLITE_OK;
	}
	int rc = completions_read_find_place(s, j, &place);
	if (rc == SQLITE_OK && e->code == ERR_OK && j->labels.key.p)
		rc = label_row_choose(s, j->owner, &j->labels, &j->arena, e);
	if (rc != SQLITE_OK || e->code != ERR_OK)
		return rc;
	struct db_bind b = conn_bind(s->conn, completions_read_which_list(j));
	completions_read_bind_page(j, place, &b);
	return completions_read_rows(j, &b);
}

OP(completions_read, completions_read_page);
