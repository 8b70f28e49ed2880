/* sweep: the chore that removes what retention no longer keeps, a little at a time. */
#pragma once

#include "store/postgres/work.h"

bool           sweep_wanted(struct postgres *db);
enum work_next sweep_step(struct work *w);
void           sweep_over(struct work *w, const struct fault *f);

/* The chore that removes the oldest of those events that have more bytes than they may (db->log). */
bool           sweep_size_wanted(struct postgres *db);
enum work_next sweep_size_step(struct work *w);
