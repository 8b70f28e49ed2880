/* store/label: the filter of a list by metadata. */
#pragma once

#include "base/str.h"

/* Keeps only objects whose metadata has all pairs of filter, a JSON object of strings.  key and
 * value are one of these pairs, as plain text.  key.p NULL: there is no filter. */
struct store_labels {
	struct str key;
	struct str value;
	struct str filter;
};
