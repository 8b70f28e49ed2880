/* Filters of lists. */
#include "store/sql/label_filter.h"

#include "store/sql/labels.h"

/* Pairs with more than a thousand conversations are equally good; a single pair is not counted.  PostgreSQL
 * has statistics, and chooses by itself. */
static const struct sql sql_rarest = {
	"SELECT f.key, f.value, n.pairs FROM json_each($2) f, "
	"(SELECT count(*) AS pairs FROM json_each($2)) n "
	"ORDER BY iif(n.pairs = 1, 0, (SELECT count(*) FROM ("
	"SELECT 1 FROM conversation_label x WHERE x.owner = $1 AND x.key = f.key "
	"AND x.value = f.value LIMIT 1000))) LIMIT 1",
	"SELECT WHERE false",
};

void label_filter_ask(struct query *q, int64_t owner, const struct store_labels *labels)
{
	struct param *a = query_param(q);

	param_int(a, owner);
	param_text(a, labels->filter);
	query_ask_either(q, &sql_rarest);
}

bool label_filter_chosen(struct query *q, size_t n, struct store_labels *labels, struct arena *a,
			 struct err *e)
{
	struct str key;
	struct str value;
	struct row r;

	if (!query_row(q, n, &r))
		return true;
	if (!cell_keep(a, r, 0, &key, e) || !cell_keep(a, r, 1, &value, e))
		return false;
	labels->key = key;
	labels->value = value;
	if (cell_int(r, 2) == 1)
		labels->filter = STR("{}"); /* no pair is left to check */
	return true;
}

void label_filter_add(const struct store_labels *labels, struct param *a)
{
	struct labels all = { 0 };

	if (labels->key.p && !labels_add(&all, 0, labels->filter))
		a->failed = true;
	param_text(a, labels->key);
	param_text(a, labels->value);
	param_text(a, labels->filter);
	labels_pairs(&all, a);
	labels_finish(&all);
}
