/* migrate: brings a database's schema to the one this program knows, forward only. */
#pragma once

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

struct migration {
	const char *name; /* NNNN_what, NNNN counting from 0001 without a gap */
	const char *sql;
	const char *
		sha256; /* of sql, in hexadecimal: made with the program, so that a start hashes nothing */
};

/* All that this program knows, from migrations/ at build time; ended by a NULL name. */
extern const struct migration migrations[];

/* migrate_run: compares what was applied with known (a name or checksum that differs, or a row that
 * known lacks, is an error) and, if apply, applies the rest, each in a transaction of its own;
 * *ret_applied is their number.  Without apply, a missing one is an error.
 * path is only for messages. */
enum errc migrate_run(sqlite3 *db, const char *path, const struct migration *known, bool apply,
		      int *ret_applied, struct err *e) MUST_USE;

/* migrate_look: whether migrate_run would refuse what was applied; for before a file is opened for
 * writing, which changes its settings. */
enum errc migrate_look(const char *path, int64_t busy_ms, const struct migration *known,
		       struct err *e) MUST_USE;
/* migrate_count: how many of the known were applied; the errors of migrate_run about the others. */
enum errc migrate_count(sqlite3 *db, const char *path, const struct migration *known,
			int *ret_applied, struct err *e) MUST_USE;
