/* books: the chore that writes the usage of calls, which is summed up in memory (store/usage_gather.h). */
#pragma once

#include "store/postgres/work.h"

bool           books_wanted(struct postgres *db);
enum work_next books_step(struct work *w);
void           books_over(struct work *w, const struct fault *f);
