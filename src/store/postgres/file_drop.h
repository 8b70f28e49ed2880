/* file_drop: removes the row of a file, and its content with the last row that names it. */
#pragma once

#include "store/postgres/work.h"

/* file_drop: asks for it, inside a work that writes; sum: the content's. */
void file_drop(struct work *w, int64_t file, struct str sum);
