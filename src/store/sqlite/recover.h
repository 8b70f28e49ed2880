/* recover: what is done once at start, before anything else is written. */
#pragma once

#include "base/err.h"
#include "store/sqlite/kit/conn.h"
#include "store/engine.h"

/* recover_run: runs that a crash left going become `incomplete`, with the answer that
 * o->assemble makes of what they logged, and id_floor learns the highest key in use.  *ret_runs is
 * how many were left going.  Only while this process holds the file's lock, or it would end the
 * runs of a live one. */
enum errc recover_run(struct conn *c, const struct store_options *o, int *ret_runs,
		      struct err *e) MUST_USE;

/* Where another process's runs went on beside ours (store_peers).  recover_floor: only id_floor,
 * at the start.  recover_others: once it has ended, all runs but our own; keys in ascending order. */
enum errc recover_floor(struct conn *c, const char *path, struct err *e) MUST_USE;
struct recover_own {
	const int64_t *keys;
	size_t         count;
};
enum errc recover_others(struct conn *c, const struct store_options *o, struct recover_own own,
			 int *ret_runs, struct err *e) MUST_USE;
