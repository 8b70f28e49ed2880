/* store/label: a filter of lists: what an object's metadata must have. */
#pragma once

#include "base/str.h"

/* Only those whose metadata has all pairs of filter, a JSON object of strings; key and value are one of
 * them, as plain text.  key.p NULL: all. */
struct store_labels {
	struct str key;
	struct str value;
	struct str filter;
};
