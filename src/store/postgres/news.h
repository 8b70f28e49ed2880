/* news: the chore that looks whether runs of other gateways have changed, for those who wait for them
 * here. */
#pragma once

#include "store/postgres/work.h"

struct news;

struct news *news_create(void) MUST_USE; /* NULL: no memory */
void         news_destroy(struct news *n);

bool           news_wanted(struct postgres *db);
enum work_next news_step(struct work *w);
void           news_over(struct work *w, const struct fault *f);
