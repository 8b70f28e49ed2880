/* The pair of a filter that a list is read along. */
#include "store/sqlite/label_row.h"

#include "store/sqlite/kit/row.h"

/* Pairs with more than a thousand conversations are equally good; a single pair is not counted. */
static const char sql_rarest[] =
	"SELECT f.key, f.value, n.pairs FROM json_each(?2) f, "
	"(SELECT count(*) AS pairs FROM json_each(?2)) n "
	"ORDER BY iif(n.pairs = 1, 0, (SELECT count(*) FROM ("
	"SELECT 1 FROM conversation_label x WHERE x.owner = ?1 AND x.key = f.key "
	"AND x.value = f.value LIMIT 1000))) LIMIT 1";

int label_row_choose(struct session *s, int64_t owner, struct store_labels *labels, struct arena *a,
		     struct err *e)
{
	struct db_bind b = conn_bind(s->conn, sql_rarest);
	struct str     key;
	struct str     value;

	db_bind_int(&b, owner);
	db_bind_text(&b, labels->filter);
	int rc = db_bind_row(&b);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : rc;
	if (!row_keep(a, b.st, 0, &key, e) || !row_keep(a, b.st, 1, &value, e))
		return SQLITE_OK;
	labels->key = key;
	labels->value = value;
	if (db_int(b.st, 2) == 1)
		labels->filter = STR("{}"); /* no pair is left to check */
	return SQLITE_OK;
}
