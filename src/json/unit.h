/* json/unit: escaped text, as it stands between the quotes of a JSON string, walked by character. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/* One character or escape; a pair of surrogate escapes is one too. */
struct json_unit {
	size_t bytes; /* at least 1, and not beyond the end, also of text that is cut off within one */
	bool space;
};

/* json_unit: the one at `at`, which is below s.n. */
struct json_unit json_unit(struct str s, size_t at);
/* json_cut: the length of a front of s that ends between units and has at most max bytes; one unit in
 * any case, unless s is empty. */
size_t json_cut(struct str s, size_t max);
