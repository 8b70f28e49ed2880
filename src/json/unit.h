/* json/unit: walks over escaped text, the bytes between the quotes of a JSON string, by
 * character. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/* A unit is a character, an escape, or a pair of surrogate escapes. */
struct json_unit {
	size_t bytes; /* at least 1; never beyond the end of a text that was cut within a unit */
	bool   space;
};

/* json_unit: the unit that begins at `at`, which is below s.n. */
struct json_unit json_unit(struct str s, size_t at);
/* json_cut: the length of the longest beginning of s that has only whole units and at most max
 * bytes, but at least one unit, unless s is empty. */
size_t json_cut(struct str s, size_t max);
