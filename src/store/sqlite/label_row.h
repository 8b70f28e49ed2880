/* label_row: filters lists by metadata (store/label.h). */
#pragma once

#include "store/label.h"
#include "store/sqlite/session.h"

/* LABEL_ROW_HAS: a condition: the conversation has all pairs of the filter. owner and filter are
 * parameters like "?1". */
#define LABEL_ROW_HAS(owner, filter, conversation)                                        \
	"NOT EXISTS (SELECT 1 FROM json_each(" filter ") f WHERE NOT EXISTS ("            \
	"SELECT 1 FROM conversation_label x WHERE x.owner = " owner " AND x.key = f.key " \
	"AND x.value = f.value AND x.conversation = " conversation ")) "

/* label_row_choose: makes key and value the pair that the fewest conversations have, kept in a.
 * SQLITE_OK even if the pair could not be kept; then e says why. */
int label_row_choose(struct session *s, int64_t owner, struct store_labels *labels, struct arena *a,
		     struct err *e) MUST_USE;
