/* Pairs of metadata, and the lists that they filter. */
#include "store/sql/labels.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdlib.h>

static bool labels_put(struct labels *l, struct label one)
{
	if (l->count == l->cap) {
		size_t        cap = l->cap ? 2 * l->cap : 16;
		struct label *grown = realloc(l->all, cap * sizeof *grown);

		if (!grown)
			return false;
		l->all = grown;
		l->cap = cap;
	}
	l->all[l->count++] = one;
	return true;
}

static bool labels_member(struct labels *l, int64_t of, const struct json_doc *d, json_at key)
{
	struct label one = { .of = of };

	if (!json_is_kind(d, json_value(key), JSON_STRING) ||
	    (d->tok[json_value(key)].flags & JSON_HAS_NUL))
		return true;
	return json_text(d, key, &l->arena, &one.key) &&
	       json_text(d, json_value(key), &l->arena, &one.value) && labels_put(l, one);
}

bool labels_add(struct labels *l, int64_t of, struct str metadata)
{
	struct json_doc d = { 0 };
	struct err      e;
	bool            ok = true;

	if (metadata.n == 0)
		return true;
	if (!l->begun)
		arena_init(&l->arena, 16 * MIB);
	l->begun = true;
	if (json_scan(&d, metadata.p, metadata.n, &json_limits_stored, &e) != ERR_OK)
		return e.code != ERR_OVERLOADED;
	if (json_kind(&d, 0) == JSON_OBJECT)
		for (json_at i = json_first(&d, 0); ok && i != json_end(&d, 0);
		     i = json_next_member(&d, i))
			ok = labels_member(l, of, &d, i);
	json_doc_finish(&d);
	return ok;
}

void labels_finish(struct labels *l)
{
	if (l->begun)
		arena_finish(&l->arena);
	free(l->all);
	*l = (struct labels){ 0 };
}

void labels_pairs(const struct labels *l, struct param *a)
{
	PARAM_EACH(a, PARAM_TEXT, i, l->count, param_text(a, l->all[i].key));
	PARAM_EACH(a, PARAM_TEXT, i, l->count, param_text(a, l->all[i].value));
}

void labels_args(const struct labels *l, struct param *a)
{
	PARAM_EACH(a, PARAM_INT, i, l->count, param_int(a, l->all[i].of));
	labels_pairs(l, a);
}

/* Pairs with more than a thousand conversations are equally good; a single pair is not counted. */
static const struct sql sql_rarest = {
	"SELECT f.key, f.value, n.pairs FROM json_each($2) f, "
	"(SELECT count(*) AS pairs FROM json_each($2)) n "
	"ORDER BY iif(n.pairs = 1, 0, (SELECT count(*) FROM ("
	"SELECT 1 FROM conversation_label x WHERE x.owner = $1 AND x.key = f.key "
	"AND x.value = f.value LIMIT 1000))) LIMIT 1",
	"SELECT f.key, f.value, n.pairs FROM unnest($3::text[], $4::text[]) AS f(key, value), "
	"(SELECT cardinality($3::text[])::bigint AS pairs) n "
	"ORDER BY CASE WHEN n.pairs = 1 THEN 0 ELSE (SELECT count(*) FROM ("
	"SELECT 1 FROM conversation_label x WHERE x.owner = $1 AND x.key = f.key "
	"AND x.value = f.value LIMIT 1000) counted) END LIMIT 1",
};

void label_filter_ask(struct query *q, int64_t owner, const struct store_labels *labels)
{
	struct labels all = { 0 };
	struct param *a = query_param(q);

	if (!labels_add(&all, 0, labels->filter))
		a->failed = true;
	param_int(a, owner);
	param_text(a, labels->filter);
	labels_pairs(&all, a);
	labels_finish(&all);
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
