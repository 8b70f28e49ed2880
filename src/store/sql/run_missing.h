/* run_missing: what is said of a run that the database does not have: it may live, unstored, in another gateway. */
#pragma once

#include "store/sql/query.h"

/* run_missing_find: finds the gateway that may have it; run_missing_params: its parameters.  run_missing_judge: fills e,
 * by whether there is one. */
extern const struct sql run_missing_find;
void                    run_missing_params(struct param *a, struct id run, int64_t gateway);
void                    run_missing_judge(bool elsewhere, const char *what, struct err *e);
