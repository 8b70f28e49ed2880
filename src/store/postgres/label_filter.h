/* label_filter: filters lists by metadata (store/label.h): statements in which l is the pair that the list is
 * read along. */
#pragma once

#include "store/label.h"
#include "store/postgres/labels.h"

/* A condition: the conversation has all pairs of two arrays, parameters like "$5". */
#define LABEL_FILTER_HAS(owner, keys, values, conversation)                                  \
	"NOT EXISTS (SELECT 1 FROM unnest(" keys "::text[], " values "::text[]) AS f(key, "  \
	"value) WHERE NOT EXISTS (SELECT 1 FROM conversation_label x WHERE x.owner = " owner \
	" AND x.key = f.key AND x.value = f.value AND x.conversation = " conversation ")) "

/* label_filter_args: adds two arrays: the filter's pairs; empty ones without a filter. */
void label_filter_args(const struct store_labels *labels, struct param *a);
