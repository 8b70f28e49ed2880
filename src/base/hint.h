/* base/hint: finds the known name that a misspelt one probably means. */
#pragma once

#include "base/str.h"

#include <stddef.h>

/* hint_near: whether `meant` is so close to `written` that an error should suggest it.  The
 * distance is the number of letters that were added, left out, changed or swapped, whatever their
 * case.  Names above 32 bytes are never near. */
bool hint_near(struct str written, struct str meant, size_t *ret_distance);
