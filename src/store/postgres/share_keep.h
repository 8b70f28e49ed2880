/* share_keep: tells the database which shares of limits this gateway keeps. */
#pragma once

#include "store/postgres/work.h"

struct share_kept;

struct share_kept *share_kept_create(void) MUST_USE;
void               share_kept_destroy(struct share_kept *k);

/* share_keep_wanted: asks the process what it needs no more. */
bool           share_keep_wanted(struct postgres *db);
enum work_next share_keep_step(struct work *w);
void           share_keep_over(struct work *w, const struct fault *f);
/* share_sweep_step: removes rows that count no more. */
enum work_next share_sweep_step(struct work *w);
void           share_sweep_over(struct work *w, const struct fault *f);
