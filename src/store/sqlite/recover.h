/* recover: what is done once at start, before anything else is written. */
#pragma once

#include "base/err.h"
#include "store/store.h"

#include <sqlite3.h>

/* recover_run: runs that a crash left going become `incomplete`, with the answer that
 * o->assemble makes of what they logged, and id_floor learns the highest key in use.  *ret_runs is
 * how many were left going.  Only while this process holds the file's lock, or it would end the
 * runs of a live one. */
enum errc recover_run(sqlite3 *db, const char *path, const struct store_options *o, int *ret_runs,
                      struct err *e) MUST_USE;
