/* search_index: puts the words of what was written into the table `search`, a moment later; a chore that any
 * gateway does. */
#pragma once

#include "store/postgres/work.h"

/* search_index_title: asks to note that the title of a conversation was set or removed. */
void search_index_title(struct work *w, int64_t conversation);

bool           search_index_wanted(struct postgres *db);
enum work_next search_index_step(struct work *w);
void           search_index_over(struct work *w, const struct fault *f);
