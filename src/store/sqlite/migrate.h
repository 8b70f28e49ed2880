/* migrate: brings a database's schema to the one this program knows, forward only. */
#pragma once

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

struct migration {
	const char *name; /* NNNN_what, NNNN counting from 0001 without a gap */
	const char *sql;
	const char *
		sha256; /* hash of sql, in hexadecimal: made with the program, so that a start hashes nothing */
};

/* All migrations of this program, from migrations/ at build time; ended by a NULL name. */
extern const struct migration migrations[];

/* migrate_run: compares the applied migrations with `known`: a name or a checksum that differs, or
 * an applied migration that `known` lacks, is an error.  With apply, the missing migrations are
 * applied, each in a transaction of its own, and *ret_applied is their number; without apply, a
 * missing one is an error.  path is only for messages.  Errors: STORAGE. */
enum errc migrate_run(sqlite3 *db, const char *path, const struct migration *known, bool apply,
		      int *ret_applied, struct err *e) MUST_USE;

/* migrate_look: the errors of migrate_run about applied migrations.  To be called before a file is
 * opened for writing, because that changes the file's settings. */
enum errc migrate_look(const char *path, int64_t busy_ms, const struct migration *known,
		       struct err *e) MUST_USE;
/* migrate_count: *ret_applied: how many migrations were applied.  Errors: those of migrate_run
 * about applied migrations. */
enum errc migrate_count(sqlite3 *db, const char *path, const struct migration *known,
			int *ret_applied, struct err *e) MUST_USE;
