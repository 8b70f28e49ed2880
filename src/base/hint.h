/* base/hint: finds the known name that a misspelt one probably means. */
#pragma once

#include "base/str.h"

#include <stddef.h>

/* hint_near: whether meant is close enough to written to be worth a question, and how far it is
 * (single letters put in, left out, changed or swapped; letters' case does not count).  Names
 * longer than 32 bytes are never near. */
bool hint_near(struct str written, struct str meant, size_t *ret_distance);
