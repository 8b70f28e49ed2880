/* Reads entries of the audit, newest first. */
#include "store/audit.h"
#include "store/sql/cells.h"

#define READ(where)                                                                              \
	"SELECT id, secret, at_ms, actor, session, address, action, object, request FROM audit " \
	"WHERE (id < $1 OR (id = $1 AND secret < $2)) AND at_ms BETWEEN $3 AND $4 "              \
	"AND ($5 IS NULL OR action = $5) " where "ORDER BY id DESC, secret DESC LIMIT $6"
static const char sql_all[] = READ("");
static const char sql_actor[] = READ("AND actor = $7 AND ($8 IS NULL OR object = $8) ");
static const char sql_object[] = READ("AND object = $8 AND ($7 IS NULL OR actor = $7) ");

static const char sql_known[] = "SELECT 1 FROM audit WHERE id = $1 AND secret = $2";

static void audit_read_ask(struct query *q, const struct audit_read *j)
{
	struct param *a = query_param(q);

	param_int(a, id_none(j->after) ? INT64_MAX : j->after.key);
	param_secret(a, id_none(j->after) ? (uint64_t)INT64_MAX : j->after.secret);
	param_int(a, j->from_ms);
	param_int(a, j->to_ms);
	param_maybe(a, j->action);
	param_int(a, (int64_t)j->limit + 1);
	param_maybe(a, j->actor);
	param_maybe(a, j->object);
	query_ask(q, j->object.n > 0 ? sql_object : j->actor.n > 0 ? sql_actor : sql_all);
	if (id_none(j->after))
		return;
	a = query_param(q);
	param_int(a, j->after.key);
	param_secret(a, j->after.secret);
	query_ask(q, sql_known);
}

static bool audit_read_row(struct row r, struct arena *a, struct audit_row *ret, struct err *e)
{
	struct str *const texts[] = { &ret->actor,  &ret->session, &ret->address,
				      &ret->action, &ret->object,  &ret->request };

	*ret = (struct audit_row){ .id = cell_id(cell_int(r, 0), r, 1), .at_ms = cell_int(r, 2) };
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!cell_null(r, 3 + (int)i) && !cell_keep(a, r, 3 + (int)i, texts[i], e))
			return false;
	return true;
}

static enum work_next read_audit(struct query *q, struct audit_read *j)
{
	struct err *e = &j->job.err;
	struct row  r;

	if (q->stage == 0) {
		j->row_count = 0;
		j->has_more = false;
		audit_read_ask(q, j);
		return WORK_LAST;
	}
	if (!id_none(j->after) && !query_row(q, 1, &r)) {
		err_set(e, ERR_INVALID_VALUE, "after", "must be the id of an entry of this list");
		return WORK_DONE;
	}
	j->rows = arena_alloc(&j->arena, (j->limit ? j->limit : 1) * sizeof *j->rows);
	if (!j->rows)
		cell_no_memory(e);
	while (j->rows && e->code == ERR_OK && query_row(q, 0, &r)) {
		j->has_more = j->row_count == j->limit;
		if (j->has_more || !audit_read_row(r, &j->arena, &j->rows[j->row_count], e))
			break;
		j->row_count++;
	}
	return WORK_DONE;
}

SQL_OP(audit_read, WORK_SNAPSHOT, read_audit);
