/* figures: the chore that reads sizes of the database for metrics and the overview. */
#pragma once

#include "store/postgres/work.h"

enum work_next figures_step(struct work *w);
void           figures_over(struct work *w, const struct fault *f);
