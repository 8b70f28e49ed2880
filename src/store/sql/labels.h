/* labels: the pairs of metadata, by which lists are filtered; a JSON object's members that are strings.  A
 * pair with U+0000, which text can't hold, is left out: no list finds it. */
#pragma once

#include "base/arena.h"
#include "store/label.h"
#include "store/sql/param.h"
#include "store/sql/query.h"

struct label {
	int64_t    of;
	struct str key;
	struct str value;
};

/* Laid open so that it can be embedded; all zero is empty. */
struct labels {
	struct arena  arena;
	bool          begun; /* the arena */
	struct label *all;   /* owned */
	size_t        count;
	size_t        cap;
};

/* labels_add: adds the pairs of an object that is `of`'s; empty: none.  False: no memory. */
bool labels_add(struct labels *l, int64_t of, struct str metadata) MUST_USE;
void labels_finish(struct labels *l);
/* labels_args: three arrays: of, keys, values.  labels_pairs: the last two. */
void labels_args(const struct labels *l, struct param *a);
void labels_pairs(const struct labels *l, struct param *a);

/* label_filter: filters lists by metadata (store/label.h): statements in which l is the pair that the list is
 * read along. */
/* label_filter_add: adds four parameters: the pair that the list is read along, all pairs as JSON, and as two
 * arrays.  E##_LABEL_FILTER_HAS: a condition: the conversation has all pairs; owner is a parameter like "$1", and
 * so are the last three of those. */
void label_filter_add(const struct store_labels *labels, struct param *a);
#define SQLITE_LABEL_FILTER_HAS(owner, filter, keys, values, conversation)                \
	"NOT EXISTS (SELECT 1 FROM json_each(" filter ") f WHERE NOT EXISTS ("            \
	"SELECT 1 FROM conversation_label x WHERE x.owner = " owner " AND x.key = f.key " \
	"AND x.value = f.value AND x.conversation = " conversation ")) "
#define POSTGRES_LABEL_FILTER_HAS(owner, filter, keys, values, conversation)                 \
	"NOT EXISTS (SELECT 1 FROM unnest(" keys "::text[], " values "::text[]) AS f(key, "  \
	"value) WHERE NOT EXISTS (SELECT 1 FROM conversation_label x WHERE x.owner = " owner \
	" AND x.key = f.key AND x.value = f.value AND x.conversation = " conversation ")) "

/* label_filter_ask: asks for the pair that the fewest conversations have.  label_filter_chosen: makes it the one
 * that the list is read along, with texts in a; n is the statement's number.  False: e says why not. */
void label_filter_ask(struct query *q, int64_t owner, const struct store_labels *labels);
bool label_filter_chosen(struct query *q, size_t n, struct store_labels *labels, struct arena *a,
			 struct err *e) MUST_USE;
