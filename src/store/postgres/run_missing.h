/* run_missing: what is said of a run that the database does not have: it may live, unstored, in another gateway. */
#pragma once

#include "store/postgres/work.h"

/* run_missing_ask: asks; work_ask's result is judged by run_missing_judge, which fills e. */
void run_missing_ask(struct work *w, struct id run);
void run_missing_judge(struct work *w, const char *what, struct err *e);
